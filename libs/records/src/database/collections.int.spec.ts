import { liveMongo, waitFor } from '@weft/testing';
import mongoose, { Schema } from 'mongoose';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { COLLECTIONS, ensureIndexes, type CollectionEntry } from './collections.js';
import { Mongo } from '@weft/store';

const { uri, db } = liveMongo({ isNew: true });
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());

function entry(name: string): CollectionEntry {
  const schema = new Schema({ a: String }, { collection: name });
  schema.index({ a: 1 }, { unique: true, partialFilterExpression: { a: { $type: 'string' } } });
  return { name, schema, ofCompany: null };
}

describe('ensureIndexes', () => {
  it('makes everything on an empty database, by several processes at once', async () => {
    await Promise.all([ensureIndexes(mongo), ensureIndexes(mongo), ensureIndexes(mongo)]);
    for (const { name, schema } of COLLECTIONS) {
      expect(await mongo.collection(name).indexes()).toHaveLength(schema.indexes().length + 1);
    }
  });

  it('makes what somebody dropped, beside what is still there', async () => {
    const two = entry('some');
    two.schema.index({ b: 1 }, { expireAfterSeconds: 60 });
    await ensureIndexes(mongo, [two]);
    await mongo.collection('some').dropIndex('a_1');
    await ensureIndexes(mongo, [two]);
    const made = await mongo.collection('some').indexes();
    expect(made.map(({ name }) => name)).toEqual(['_id_', 'b_1', 'a_1']);
  });

  it('waits for an index that takes longer to build than its connection lasts', async () => {
    const asked = vi.spyOn(mongo.collection('slow'), 'createIndexes');
    asked.mockRejectedValueOnce(new mongoose.mongo.MongoNetworkTimeoutError('the socket timed out'));
    await ensureIndexes(mongo, [entry('slow')]);
    expect(asked).toHaveBeenCalledTimes(2);
    expect(asked.mock.calls.map(([, options]) => options)).toMatchObject([
      { socketTimeoutMS: 0 },
      { socketTimeoutMS: 0 },
    ]);
    expect(await mongo.collection('slow').indexes()).toHaveLength(2);
  });

  it('waits for an index that another process builds, although MongoDB lists it already', async () => {
    const large = mongo.collection('large');
    for (let portion = 0; portion < 40; portion += 1) {
      const documents = Array.from({ length: 5_000 }, (_, i) => ({ a: `${portion} ${i}` }));
      await large.insertMany(documents, { writeConcern: { w: 1 } });
    }
    const built = ensureIndexes(mongo, [entry('large')]);
    const listed = async () => (await large.indexes()).length > 1;
    await waitFor(listed, { what: 'the index in the list' });
    const another = await Mongo.open({ uri, db, appName: 'spec' });
    await ensureIndexes(another, [entry('large')]).finally(() => another.close());
    expect(await large.find().hint('a_1').limit(1).toArray()).toHaveLength(1);
    await built;
  });

  it('waits for a collection, and for what it has, longer than its connection lasts', async () => {
    const timedOut = () => new mongoose.mongo.MongoNetworkTimeoutError('the socket timed out');
    const looked = vi.spyOn(mongo.collection('late'), 'indexes').mockRejectedValueOnce(timedOut());
    const made = vi.spyOn(mongoose.mongo.Db.prototype, 'createCollection').mockRejectedValueOnce(timedOut());
    await ensureIndexes(mongo, [entry('late')]);
    expect(looked.mock.calls.length).toBeGreaterThan(1);
    expect(made).toHaveBeenCalledTimes(2);
    made.mockRestore();
    expect(await mongo.collection('late').indexes()).toHaveLength(2);
  });

  it('refuses when an index is there with another option', async () => {
    await mongo.collection('brief').createIndexes([{ key: { a: 1 }, unique: true, expireAfterSeconds: 60 }]);
    await expect(ensureIndexes(mongo, [entry('brief')])).rejects.toThrow(/brief {"a":1}/);
  });

  it('names each collection once', () => {
    expect(new Set(COLLECTIONS.map(({ name }) => name)).size).toBe(COLLECTIONS.length);
  });

  it('refuses when a unique index cannot be made over the data', async () => {
    await mongo.collection('doubles').insertMany([{ a: 'x' }, { a: 'x' }]);
    await expect(ensureIndexes(mongo, [entry('doubles')])).rejects.toThrow(/doubles {"a":1}: .*duplicate key/);
  });

  it('refuses when somebody made the index without unique', async () => {
    await mongo.collection('plain').createIndexes([{ key: { a: 1 } }]);
    await expect(ensureIndexes(mongo, [entry('plain')])).rejects.toThrow(/plain {"a":1}/);
  });
});
