import { liveMongo } from '@weft/testing';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import mongoose from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { Mongo } from '../../driver/mongo.js';
import { TenantScope } from '../../scope.js';
import { PLAYS } from '../play.schema.js';
import { PAYLOAD_CHUNKS, PAYLOAD_FILES, type PayloadFile } from './payload.schema.js';
import { PayloadStore } from './payload.store.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());

const payloads = new PayloadStore(mongo);
const scope = new TenantScope('company-a');
const stranger = new TenantScope('company-b');

describe('PayloadStore', () => {
  it.each([700_000, 17_000_000])(
    'gives back what was put, also larger than a chunk or a document: %i bytes',
    async (bytes) => {
      const large = Buffer.alloc(bytes, 'weft');
      const ref = await payloads.put(scope, { playId: 'p1', flowId: 'f' }, large);
      expect(ref.bytes).toBe(bytes);
      expect((await payloads.get(scope, ref))?.equals(large)).toBe(true);
      const opened = await payloads.open(scope, ref);
      expect(opened).toMatchObject({ form: null, bytes });
      expect(opened && (await buffer(opened.content)).equals(large)).toBe(true);
    },
  );

  it('gives back what was uploaded in pieces, with its form, once that is finished', async () => {
    const upload = payloads.upload(scope, { playId: 'p1', flowId: 'f' });
    const pieces = [10, 300_000, 1, 600_000, 0, 5].map((bytes, i) => Buffer.alloc(bytes, `${i}`));
    await upload.write(Readable.from(pieces));
    expect(upload.bytes).toBe(900_016);
    const form = { outline: '{"$a":1}', content: { body: 'text' } } as const;
    const ref = await upload.finish(form);
    const opened = await payloads.open(scope, ref);
    expect(opened).toMatchObject({ form, bytes: 900_016 });
    expect(opened && (await buffer(opened.content)).equals(Buffer.concat(pieces))).toBe(true);
    // it is not the JSON text of an output
    expect(await payloads.get(scope, ref)).toBeNull();
    expect(await payloads.get(stranger, ref)).toBeNull();
  });

  it('gives an output whole, whether it is stored as JSON or as the answer that it was made of', async () => {
    const owner = { playId: 'p1', flowId: 'f' };
    const asJson = await payloads.put(scope, owner, Buffer.from('{"a":[1]}'));
    expect(await payloads.output(scope, asJson)).toEqual({ out: { a: [1] } });
    const body = '\ufeff{ "ä": 1 }';
    const form = { outline: '{"statusCode":200}', content: { body: 'text', json: 'json' }, bytes: 99 } as const;
    const asAnswer = await payloads.put(scope, owner, Buffer.from(body), form);
    expect(await payloads.output(scope, asAnswer)).toEqual({ out: { statusCode: 200, body, json: { ä: 1 } } });
    expect(await payloads.open(scope, asAnswer)).toMatchObject({ form, bytes: Buffer.byteLength(body) });
    for (const ref of [asJson, asAnswer]) expect(await payloads.output(stranger, ref)).toBeNull();
    const upload = payloads.upload(scope, owner);
    await upload.write(Readable.from([Buffer.from('[]')]));
    const inPieces = await upload.finish({ outline: '{}', content: { body: 'text' } });
    expect(await payloads.output(scope, inPieces)).toBeNull();
    await payloads.discard(scope, asAnswer);
    expect(await payloads.output(scope, asAnswer)).toBeNull();
  });

  it('asks the source of an upload for no more than it has written', async () => {
    let given = 0;
    const slow = new PayloadStore(mongo, {
      retry: async (step) => {
        // two pieces make a chunk, and the next one is begun
        expect(given - written).toBeLessThanOrEqual(3);
        const result = await step();
        written = given;
        return result;
      },
    });
    let written = 0;
    const upload = slow.upload(scope, { playId: 'p1', flowId: 'f' });
    await upload.write(
      Readable.from(
        (function* () {
          for (; given < 20; given += 1) yield Buffer.alloc(130_560);
        })(),
        { highWaterMark: 1 },
      ),
    );
    expect(upload.bytes).toBe(20 * 130_560);
    await upload.discard();
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
    expect(await payloads.get(scope, { $ref: 'no-such-ref', bytes: 1 })).toBeNull();
    expect(await payloads.get(scope, { $ref: '0'.repeat(24), bytes: 1 })).toBeNull();
  });

  it('fails an upload whose source fails, and keeps nothing of it', async () => {
    const before = await Promise.all(
      [PAYLOAD_FILES, PAYLOAD_CHUNKS].map((name) => mongo.collection(name).countDocuments()),
    );
    const broken = Readable.from(
      (function* () {
        yield Buffer.alloc(300_000);
        throw new Error('source broke');
      })(),
    );
    const upload = payloads.upload(scope, { playId: 'p4', flowId: 'f' });
    await expect(upload.write(broken)).rejects.toThrow('source broke');
    const after = await Promise.all(
      [PAYLOAD_FILES, PAYLOAD_CHUNKS].map((name) => mongo.collection(name).countDocuments()),
    );
    expect(after).toEqual(before);
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

  it('leaves alone what is being made, and sweeps what a crash left of it', async () => {
    const scope = new TenantScope('company-c');
    const owner = { playId: 'never', flowId: 'f' };
    const args = await payloads.putArgs(scope, owner, Buffer.from('{"large":true}'));
    const upload = payloads.upload(scope, owner);
    await upload.write(Readable.from([Buffer.from('abc')]));
    expect(await payloads.removeUnreferenced(scope)).toBe(0);
    await madeHoursAgo(2);
    expect(await payloads.removeUnreferenced(scope)).toBe(1);
    expect(await payloads.get(scope, args)).toBeNull();
    await madeHoursAgo(49);
    expect(await payloads.removeUnreferenced(scope)).toBe(1);
    await expect(upload.finish({ outline: '{}', content: {} })).rejects.toThrow('swept');
  });

  it('never sweeps the args of a play that was accepted, noted or not', async () => {
    const scope = new TenantScope('company-d');
    const refs = [];
    for (const playId of ['noted', 'unnoted']) {
      const argsRef = await payloads.putArgs(scope, { playId, flowId: 'f' }, Buffer.from('{}'));
      await mongo
        .collection<{ _id: string }>(PLAYS)
        .insertOne({ _id: playId, company_id: scope.companyId, argsRef } as never);
      refs.push(argsRef);
    }
    await payloads.adopt(scope, refs[0]!, 'noted');
    await madeHoursAgo(49);
    expect(await payloads.removeUnreferenced(scope)).toBe(0);
    for (const ref of refs) expect((await payloads.get(scope, ref))?.toString()).toBe('{}');
    // the sweep has noted it
    expect(await payloads.letGo(scope, ['noted', 'unnoted'])).toBe(0);
    expect(await mongo.transaction((session) => payloads.letGo(scope, ['noted', 'unnoted'], session))).toBe(2);
    expect(await payloads.removeUnreferenced(scope)).toBe(2);
  });

  it('takes plays that never came off the list after an hour, and leaves those that did', async () => {
    const scope = new TenantScope('company-e');
    const stored = mongo.collection<{ _id: string; company_id: string }>(PLAYS);
    await stored.insertMany(['original', 'retry'].map((_id) => ({ _id, company_id: scope.companyId })));
    const ref = await payloads.put(scope, { playId: 'original', flowId: 'f' }, Buffer.from('shared'));
    const other = await payloads.put(scope, { playId: 'original', flowId: 'f' }, Buffer.from('other'));
    await payloads.share(scope, [ref], 'never');
    await payloads.share(scope, [ref, other], 'retry');
    const files = mongo.collection<PayloadFile>(PAYLOAD_FILES);
    const listed = async () => (await files.findOne({ _id: idOf(ref) } as object))?.metadata.playIds;
    const sharedHoursAgo = (hours: number) =>
      mongo
        .collection(PAYLOAD_FILES)
        .updateMany(
          { 'metadata.sharedAt': { $exists: true } },
          { $set: { 'metadata.sharedAt': new Date(mongo.serverNow() - hours * 3_600_000) } },
        );
    await payloads.removeUnreferenced(scope);
    expect(await listed()).toEqual(['original', 'never', 'retry']);
    await sharedHoursAgo(2);
    // what is shared again is waited for again
    await payloads.share(scope, [ref], 'late');
    await payloads.removeUnreferenced(scope);
    expect(await listed()).toEqual(['original', 'never', 'retry', 'late']);
    await sharedHoursAgo(2);
    await payloads.removeUnreferenced(stranger);
    expect(await listed()).toHaveLength(4);
    expect(await payloads.removeUnreferenced(scope)).toBe(0);
    expect(await listed()).toEqual(['original', 'retry']);
    expect(
      await mongo
        .collection(PAYLOAD_FILES)
        .countDocuments({ 'metadata.company_id': scope.companyId, 'metadata.sharedAt': { $exists: true } }),
    ).toBe(0);
    await mongo.transaction((session) => payloads.letGo(scope, ['original', 'retry'], session));
    expect(await payloads.removeUnreferenced(scope)).toBe(2);
  });

  it('counts what it writes, by what it is', async () => {
    const written: unknown[] = [];
    const counted = new PayloadStore(mongo, { onWritten: (component, bytes) => written.push([component, bytes]) });
    await counted.put(scope, { playId: 'p9', flowId: 'f' }, Buffer.alloc(20));
    await counted.putArgs(scope, { playId: 'p9', flowId: 'f' }, Buffer.alloc(30));
    await counted.upload(scope, { playId: 'p9', flowId: 'f' }).write(Readable.from([Buffer.alloc(40)]));
    expect(written).toEqual([
      ['outputs', 20],
      ['args', 30],
      ['outputs', 40],
    ]);
  });
});

async function madeHoursAgo(hours: number): Promise<void> {
  const uploadDate = new Date(mongo.serverNow() - hours * 3_600_000);
  await mongo.collection(PAYLOAD_FILES).updateMany({ 'metadata.madeFor': { $exists: true } }, { $set: { uploadDate } });
}

function idOf(ref: { readonly $ref: string }): mongoose.mongo.ObjectId {
  return mongoose.mongo.ObjectId.createFromHexString(ref.$ref);
}
