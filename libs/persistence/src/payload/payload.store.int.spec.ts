import { liveMongo } from '@weft/testing';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import mongoose from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { Mongo } from '../mongo.js';
import { TenantScope } from '../scope.js';
import { PAYLOAD_CHUNKS } from './payload.schema.js';
import { PayloadStore } from './payload.store.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());

const payloads = new PayloadStore(mongo);
const scope = new TenantScope('company-a');
const stranger = new TenantScope('company-b');

describe('PayloadStore', () => {
  it('gives back what was put, bytes and streams, also larger than one chunk', async () => {
    const owner = { playId: 'p1', flowId: 'f' };
    const large = Buffer.alloc(700_000, 'weft');
    const fromBytes = await payloads.put(scope, owner, large);
    const fromStream = await payloads.put(
      scope,
      owner,
      Readable.from([large.subarray(0, 300_000), large.subarray(300_000)]),
    );
    expect(fromBytes.bytes).toBe(700_000);
    expect(fromStream.bytes).toBe(700_000);
    expect((await payloads.get(scope, fromBytes))?.equals(large)).toBe(true);
    const stream = await payloads.open(scope, fromStream.$ref);
    expect(stream && (await buffer(stream)).equals(large)).toBe(true);
  });

  it('keeps an empty payload', async () => {
    const ref = await payloads.put(scope, { playId: 'p2', flowId: 'f' }, new Uint8Array());
    expect(ref.bytes).toBe(0);
    expect(await payloads.get(scope, ref)).toHaveLength(0);
  });

  it('gives nothing to another company, and nothing for what is no reference', async () => {
    const ref = await payloads.put(scope, { playId: 'p3', flowId: 'f' }, Buffer.from('{}'));
    expect(await payloads.get(stranger, ref)).toBeNull();
    expect(await payloads.open(stranger, ref)).toBeNull();
    expect(await payloads.get(scope, 'no-such-ref')).toBeNull();
    expect(await payloads.get(scope, '0'.repeat(24))).toBeNull();
  });

  it('fails a put whose source fails, and keeps nothing of it', async () => {
    const broken = Readable.from(
      (function* () {
        yield Buffer.alloc(300_000);
        throw new Error('source broke');
      })(),
    );
    await expect(payloads.put(scope, { playId: 'p4', flowId: 'f' }, broken)).rejects.toThrow('source broke');
    expect(await payloads.letGo(scope, ['p4'])).toBe(0);
  });

  it('removes the outputs of a play that let go of them, chunks and all, and no others', async () => {
    const one = await payloads.put(scope, { playId: 'p5', flowId: 'f' }, Buffer.from('a'));
    const two = await payloads.put(scope, { playId: 'p5', flowId: 'f' }, Buffer.from('b'));
    const other = await payloads.put(scope, { playId: 'p6', flowId: 'f' }, Buffer.from('c'));
    expect(await payloads.letGo(stranger, ['p5'])).toBe(0);
    expect(await payloads.letGo(scope, ['p5'])).toBe(2);
    expect(await payloads.removeUnreferenced(stranger)).toBe(0);
    expect(await payloads.removeUnreferenced(scope)).toBe(2);
    expect(await payloads.removeUnreferenced(scope)).toBe(0);
    expect(await payloads.get(scope, one)).toBeNull();
    expect(await mongo.collection(PAYLOAD_CHUNKS).countDocuments({ files_id: idOf(two) })).toBe(0);
    expect((await payloads.get(scope, other))?.toString()).toBe('c');
  });

  it('keeps an output while one of several plays refers to it', async () => {
    const shared = await payloads.put(scope, { playId: 'old', flowId: 'f' }, Buffer.from('shared'));
    const own = await payloads.put(scope, { playId: 'old', flowId: 'f' }, Buffer.from('own'));
    expect(await payloads.share(stranger, [shared], 'new')).toBe(false);
    expect(await payloads.share(scope, [shared], 'new')).toBe(true);
    expect(await payloads.share(scope, [shared], 'new')).toBe(true);
    expect(await payloads.letGo(scope, ['old'])).toBe(2);
    expect(await payloads.removeUnreferenced(scope)).toBe(1);
    expect(await payloads.get(scope, own)).toBeNull();
    expect((await payloads.get(scope, shared))?.toString()).toBe('shared');
    await payloads.letGo(scope, ['new']);
    expect(await payloads.removeUnreferenced(scope)).toBe(1);
    expect(await payloads.get(scope, shared)).toBeNull();
  });

  it('shares all outputs or none: one that nobody refers to any more is not taken up again', async () => {
    const going = await payloads.put(scope, { playId: 'gone', flowId: 'f' }, Buffer.from('going'));
    const staying = await payloads.put(scope, { playId: 'stays', flowId: 'f' }, Buffer.from('staying'));
    await payloads.letGo(scope, ['gone']);
    expect(await payloads.share(scope, [going, staying], 'late')).toBe(false);
    expect(await payloads.letGo(scope, ['late'])).toBe(0);
    expect(await payloads.share(scope, [{ $ref: 'no-such-ref', bytes: 1 }], 'late')).toBe(false);
  });
});

function idOf(ref: { readonly $ref: string }): mongoose.mongo.ObjectId {
  return mongoose.mongo.ObjectId.createFromHexString(ref.$ref);
}
