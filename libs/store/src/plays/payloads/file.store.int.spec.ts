import { liveMongo } from '@weft/testing';
import mongoose from 'mongoose';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { Mongo } from '../../driver/mongo.js';
import { TenantScope } from '../../scope.js';
import { FILE_USES } from './file-use.schema.js';
import type { StoredFile } from './payload-files.js';
import { PLAYS } from '../play.schema.js';
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
const playsOf = async (scope: TenantScope, file: { readonly $ref: string }): Promise<string[]> => {
  const found = await files.open(scope, idOf(file));
  const plays: string[] = [];
  if (found) for await (const some of found.plays()) plays.push(...some);
  return plays;
};
const storedFile = (file: { readonly $ref: string }) =>
  mongo.collection<StoredFile>(PAYLOAD_FILES).findOne({ _id: new mongoose.mongo.ObjectId(idOf(file)) });
const expired = (file: { readonly $ref: string }) =>
  mongo
    .collection<StoredFile>(PAYLOAD_FILES)
    .updateOne({ _id: new mongoose.mongo.ObjectId(idOf(file)) }, { $set: { 'metadata.expiresAt': new Date(0) } });
const notedLongAgo = () =>
  mongo.collection(FILE_USES).updateMany({ newAt: { $exists: true } }, { $set: { newAt: new Date(0) } });
/** As an hour later for plays that are there. */
const checked = () => mongo.collection(FILE_USES).updateMany({}, { $unset: { newAt: true } });
const marks = (scope: TenantScope) =>
  mongo.collection(FILE_USES).countDocuments({ company_id: scope.companyId, gone: true });
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
    expect(found).toMatchObject({ ...file, by: null });
    expect(await playsOf(scope, file)).toEqual(['retry']);
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
    expect(await playsOf(scope, one)).toEqual([]);
    expect(await files.use(scope, [idOf(one), idOf(two)], 'p')).toBe(true);
    expect(await files.use(scope, [idOf(one), idOf(two)], 'p')).toBe(true);
    expect(await playsOf(scope, two)).toEqual(['p']);
    expect(await files.open(stranger, idOf(one))).toBeNull();
    // the play was never inserted
    await notedLongAgo();
    await payloads.removeUnreferenced(stranger);
    expect(await playsOf(scope, two)).toEqual(['p']);
    await payloads.removeUnreferenced(scope);
    expect(await playsOf(scope, two)).toEqual([]);
  });

  it('notes each use of a file by itself, however many plays have it', async () => {
    const scope = newScope();
    const file = await files.take(scope, content(), { ...LABEL, by: 'u' });
    const next = await files.take(scope, content(), { ...LABEL, by: 'u' });
    const plays = Array.from({ length: 1_200 }, (_, i) => `p${String(i).padStart(4, '0')}`);
    expect(await files.use(scope, [idOf(file)], ...plays)).toBe(true);
    expect(await files.use(scope, [idOf(next)], 'other')).toBe(true);
    expect(await playsOf(scope, file)).toEqual(plays.toReversed());
    const stored = await storedFile(file);
    expect(stored?.metadata.playIds).toEqual(['used']);
    await expired(file);
    await checked();
    for (const some of [plays.slice(0, 700), plays.slice(700, 1_199)]) await payloads.letGo(scope, some);
    await payloads.removeUnreferenced(scope);
    expect(await playsOf(scope, file)).toEqual(['p1199']);
    await payloads.letGo(newScope(), ['p1199']);
    expect(await payloads.letGo(scope, ['p1199'])).toBe(0);
    expect(await payloads.removeUnreferenced(scope)).toBe(1);
    expect(await files.use(scope, [idOf(file)], 'late')).toBe(false);
    expect(await mongo.collection(FILE_USES).countDocuments({ company_id: scope.companyId })).toBe(1);
  });

  it('deletes a play of any number of files with one write, and removes its uses after that', async () => {
    const scope = newScope();
    const uploads = await Promise.all(
      Array.from({ length: 40 }, () => files.take(scope, content(), { ...LABEL, by: 'u' })),
    );
    await files.use(scope, uploads.map(idOf), 'p', 'q');
    await checked();
    await mongo.transaction((session) => payloads.letGo(scope, ['p', 'without files'], session));
    expect(await mongo.collection(FILE_USES).countDocuments({ company_id: scope.companyId })).toBe(81);
    expect(await marks(scope)).toBe(1);
    await payloads.removeUnreferenced(scope);
    expect(await mongo.collection(FILE_USES).countDocuments({ company_id: scope.companyId })).toBe(40);
    expect(await marks(scope)).toBe(0);
  });

  it('takes what is left of a file when the last two uses go at once, or a sweep has died between two steps', async () => {
    const scope = newScope();
    const both = await files.take(scope, content(), { ...LABEL, by: 'u' });
    const halfway = await files.take(scope, content(), { ...LABEL, by: 'u' });
    await files.use(scope, [idOf(both)], 'a', 'b');
    await files.use(scope, [idOf(halfway)], 'c');
    await Promise.all([expired(both), expired(halfway), checked()]);
    // the uses are gone, and nobody has looked at the file
    await payloads.letGo(scope, ['c']);
    const uses = mongo.collection<{ _id: string; files?: string[] }>(FILE_USES);
    await uses.updateOne({ _id: 'gone.c' }, { $set: { files: [idOf(halfway)] } });
    await uses.deleteOne({ _id: `${idOf(halfway)}.c` });
    await Promise.all(['a', 'b'].map((playId) => payloads.letGo(scope, [playId])));
    await Promise.all([payloads.removeUnreferenced(scope), payloads.removeUnreferenced(scope)]);
    await payloads.removeUnreferenced(scope);
    expect(await uses.countDocuments({ company_id: scope.companyId })).toBe(0);
    for (const file of [both, halfway]) expect(await storedFile(file)).toBeNull();
  });

  it('leaves the uses of a play that came after all, and of one whose insert may follow', async () => {
    const scope = newScope();
    const file = await files.take(scope, content(), { ...LABEL, by: 'u' });
    const plays = mongo.collection<{ _id: string; company_id: string }>(PLAYS);
    await files.use(scope, [idOf(file)], 'came', 'comes');
    await plays.insertOne({ _id: 'came', company_id: scope.companyId });
    // refused, says somebody: but the answer to the insert was lost
    await payloads.letGo(scope, ['came', 'comes']);
    expect(await marks(scope)).toBe(1);
    await payloads.removeUnreferenced(scope);
    expect(await playsOf(scope, file)).toEqual(['comes', 'came']);
    await notedLongAgo();
    // another attempt notes it again
    await files.use(scope, [idOf(file)], 'comes');
    await payloads.removeUnreferenced(scope);
    expect(await playsOf(scope, file)).toEqual(['comes', 'came']);
    await notedLongAgo();
    await payloads.removeUnreferenced(scope);
    expect(await playsOf(scope, file)).toEqual(['came']);
    await plays.deleteOne({ _id: 'came' });
  });

  it('never loses a file whose last play goes while another one comes', async () => {
    const scope = newScope();
    for (let round = 0; round < 20; round += 1) {
      const file = await files.take(scope, content(), { ...LABEL, by: 'u' });
      await files.use(scope, [idOf(file)], 'first');
      await Promise.all([expired(file), checked()]);
      const [came] = await Promise.all([
        files.use(scope, [idOf(file)], 'second'),
        payloads.letGo(scope, ['first']).then(() => payloads.removeUnreferenced(scope)),
      ]);
      await payloads.removeUnreferenced(scope);
      const found = await files.open(scope, idOf(file));
      expect(found !== null).toBe(came);
      expect(found ? await playsOf(scope, file) : []).toEqual(came ? ['second'] : []);
      await Promise.all([expired(file), checked()]);
      await payloads.letGo(scope, ['second']);
      await payloads.removeUnreferenced(scope);
      expect(await storedFile(file)).toBeNull();
    }
  });

  it('keeps what a play was given when what its layers made goes, and a play that takes it over has both', async () => {
    const scope = newScope();
    const given = await files.take(scope, content(), { ...LABEL, by: 'u' });
    const made = await files.keep(scope, { playId: 'old', flowId: 'f' }, content(), LABEL);
    const args = await payloads.put(scope, { playId: 'old', flowId: 'f' }, Buffer.from('{}'));
    await files.use(scope, [idOf(given)], 'old');
    await expired(given);
    await files.shareAll(scope, 'old', 'retry');
    expect(await playsOf(scope, given)).toEqual(['retry', 'old']);
    expect(await playsOf(scope, made)).toEqual(['retry', 'old']);
    await mongo.transaction((session) => payloads.letGoOutputs(scope, ['old', 'retry'], session, [args]));
    expect(await payloads.removeUnreferenced(scope)).toBe(1);
    expect(await files.open(scope, idOf(made))).toBeNull();
    expect(await files.open(scope, idOf(given))).not.toBeNull();
    expect(await payloads.get(scope, args)).not.toBeNull();
    await checked();
    await payloads.letGo(scope, ['old', 'retry']);
    expect(await payloads.removeUnreferenced(scope)).toBe(2);
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
