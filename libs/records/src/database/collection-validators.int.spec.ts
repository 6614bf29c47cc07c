import { liveMongo } from '@weft/testing';
import mongoose, { Schema } from 'mongoose';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { setValidators, validationOf } from './collection-validators.js';
import { COLLECTIONS, ensureIndexes, VALIDATED_COLLECTIONS, type CollectionEntry } from './collections.js';
import { Mongo } from '@weft/store';

const { uri, db } = liveMongo({ isNew: true });
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());

const fail = (error: unknown): never => {
  throw error;
};

function entry(name: string): CollectionEntry {
  return {
    name,
    ofCompany: null,
    schema: new Schema({ _id: { type: String, required: true }, at: Date }, { versionKey: false }),
  };
}

async function validationIn(name: string): Promise<unknown> {
  const [found] = await mongo.db.listCollections({ name }, { nameOnly: false }).toArray();
  return found?.options;
}

/** The warnings in MongoDB's log of documents of a collection that break their schema. */
async function warningsOf(name: string): Promise<string[]> {
  const { log } = (await mongo.connection.getClient().db('admin').command({ getLog: 'global' })) as { log: string[] };
  return log.filter((line) => line.includes('fail validation') && line.includes(`"${db}.${name}"`));
}

describe('the validators of collections', () => {
  it('are there after a first start, for all collections but those of the run path', async () => {
    await ensureIndexes(mongo);
    for (const each of VALIDATED_COLLECTIONS) expect(await validationIn(each.name)).toEqual(validationOf(each));
    const others = COLLECTIONS.filter((each) => !VALIDATED_COLLECTIONS.includes(each)).map(({ name }) => name);
    expect(others.sort()).toEqual(
      [
        'file_uses',
        'flow_figures',
        'kept_events',
        'kv_stores',
        'payloads.chunks',
        'payloads.files',
        'plays',
        'trigger_bodies',
        'trigger_deliveries',
      ].sort(),
    );
    for (const name of others) expect(await validationIn(name)).toEqual({});
  });

  it('name the fields of every schema', () => {
    for (const { name, schema } of VALIDATED_COLLECTIONS) {
      expect(Object.keys(schema.paths).length, name).toBeGreaterThan(1);
    }
  });

  it('are set once on a collection that was made without', async () => {
    await mongo.db.createCollection('old');
    await setValidators(mongo, [entry('old')], fail);
    expect(await validationIn('old')).toEqual(validationOf(entry('old')));
    const commands = vi.spyOn(mongoose.mongo.Db.prototype, 'command');
    await setValidators(mongo, [entry('old')], fail);
    expect(commands).not.toHaveBeenCalled();
    commands.mockRestore();
  });

  it('let a document pass that breaks its schema, and MongoDB warns of it in its log', async () => {
    await ensureIndexes(mongo, [entry('loose')]);
    const loose = mongo.collection<{ _id: string; at: unknown }>('loose');
    await loose.insertOne({ _id: 'right', at: new Date() });
    expect(await warningsOf('loose')).toEqual([]);
    await loose.insertOne({ _id: 'wrong', at: 'yesterday' });
    expect(await loose.countDocuments()).toBe(2);
    expect(await warningsOf('loose')).toEqual([expect.stringContaining('"wrong"')]);
  });

  it('follow the schema of this version, and leave a validator that somebody else set', async () => {
    await mongo.db.createCollection('ours', {
      ...validationOf({ ...entry('ours'), schema: new Schema({ b: Number }) }),
    });
    const foreign = { validator: { a: { $exists: false } }, validationLevel: 'strict', validationAction: 'error' };
    await mongo.db.createCollection('foreign', foreign);
    await setValidators(mongo, [entry('foreign'), entry('ours')], fail);
    expect(await validationIn('ours')).toEqual(validationOf(entry('ours')));
    expect(await validationIn('foreign')).toEqual(foreign);
  });

  it('are missing, and that is said once, where the database user may not set them', async () => {
    await Promise.all(['one', 'two'].map((name) => mongo.db.createCollection(name)));
    const unauthorized = new mongoose.mongo.MongoServerError({ message: 'not authorized', code: 13 });
    const command = vi.spyOn(mongoose.mongo.Db.prototype, 'command').mockRejectedValue(unauthorized);
    const onFault = vi.fn();
    await setValidators(mongo, [entry('one'), entry('two')], onFault);
    command.mockRestore();
    expect(onFault.mock.calls).toEqual([[unauthorized]]);
    expect(await validationIn('one')).toEqual({});
  });
});
