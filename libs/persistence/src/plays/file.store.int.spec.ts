import { liveMongo } from '@weft/testing';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { Mongo } from '../driver/mongo.js';
import { TenantScope } from '../scope.js';
import { PAYLOAD_FILES } from './payload.schema.js';
import { PayloadStore } from './payload.store.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());

const payloads = new PayloadStore(mongo);
const files = payloads.userFiles;
const LABEL = { contentType: 'text/plain', filename: 'a.txt' };
const content = (text = 'abc') => Readable.from([Buffer.from(text)]);
const idOf = ({ $ref }: { readonly $ref: string }): string => $ref.slice(-24);
let companies = 0;
const newScope = (): TenantScope => new TenantScope(`files-${(companies += 1)}`);

describe('FileStore', () => {
  it('keeps a file of a layer until the last play that refers to it is gone, also one that took it over', async () => {
    const scope = newScope();
    const file = await files.keep(scope, { playId: 'first', flowId: 'f' }, content(), LABEL);
    await payloads.put(scope, { playId: 'first', flowId: 'f' }, Buffer.from('{}'));
    await files.shareAll(scope, 'first', 'retry');
    await payloads.letGo(scope, ['first']);
    expect(await payloads.removeUnreferenced(scope)).toBe(1);
    const found = await files.open(scope, idOf(file));
    expect(found).toMatchObject({ ...file, by: null, playIds: ['retry'] });
    expect(found && String(await buffer(found.read()))).toBe('abc');
    expect(found && String(await buffer(found.read()))).toBe('abc');
    await payloads.letGo(scope, ['retry']);
    expect(await payloads.removeUnreferenced(scope)).toBe(1);
    expect(await files.open(scope, idOf(file))).toBeNull();
  });

  it('notes a play with all files that it refers to, or with none', async () => {
    const scope = newScope();
    const [one, two] = [
      await files.take(scope, content(), { ...LABEL, by: 'u' }),
      await files.take(scope, content(), { ...LABEL, by: 'u' }),
    ];
    const stranger = newScope();
    expect(await files.use(stranger, [idOf(one)], 'p')).toBe(false);
    expect(await files.use(scope, [idOf(one), '0'.repeat(24)], 'p')).toBe(false);
    expect((await files.open(scope, idOf(one)))?.playIds).toEqual([]);
    expect(await files.use(scope, [idOf(one), idOf(two)], 'p')).toBe(true);
    expect((await files.open(scope, idOf(two)))?.playIds).toEqual(['p']);
    expect(await files.open(stranger, idOf(one))).toBeNull();
    // the play was never inserted
    await mongo.collection(PAYLOAD_FILES).updateMany({}, { $set: { 'metadata.sharedAt': new Date(0) } });
    await payloads.removeUnreferenced(scope);
    expect((await files.open(scope, idOf(two)))?.playIds).toEqual([]);
  });

  it('finds no payload that is not a file, and none that is still being written', async () => {
    const scope = newScope();
    const output = await payloads.put(scope, { playId: 'p', flowId: 'f' }, Buffer.from('{}'));
    expect(await files.open(scope, output.$ref)).toBeNull();
    expect(await files.use(scope, [output.$ref], 'q')).toBe(false);
    const during = async function* () {
      yield Buffer.from('x');
      const [row] = await mongo
        .collection(PAYLOAD_FILES)
        .find({ 'metadata.company_id': scope.companyId, 'metadata.uploading': true })
        .toArray();
      expect(await files.open(scope, String(row?._id))).toBeNull();
      expect(await payloads.removeUnreferenced(scope)).toBe(0);
    };
    await files.take(scope, during(), { ...LABEL, by: 'u' });
  });

  it('sweeps what a crash left of an upload, and not before', async () => {
    const scope = newScope();
    await files.take(scope, content(), { ...LABEL, by: 'u' });
    const [row] = await mongo.collection(PAYLOAD_FILES).find({ 'metadata.company_id': scope.companyId }).toArray();
    const asCrashed = { $set: { 'metadata.uploading': true }, $unset: { 'metadata.expiresAt': true } };
    await mongo.collection(PAYLOAD_FILES).updateOne({ _id: row?._id }, asCrashed);
    expect(await payloads.removeUnreferenced(scope)).toBe(0);
    const old = new Date(Date.now() - 3 * 24 * 3_600_000);
    await mongo.collection(PAYLOAD_FILES).updateOne({ _id: row?._id }, { $set: { uploadDate: old } });
    expect(await payloads.removeUnreferenced(scope)).toBe(1);
  });
});
