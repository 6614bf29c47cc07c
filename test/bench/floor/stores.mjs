// @ts-check
import { Redis } from 'ioredis';
import mongoose from 'mongoose';

/** @typedef {import('./new-play.mjs').StoredPlay} StoredPlay */
/** @typedef {import('mongoose').mongo.Collection<StoredPlay>} Plays */

/**
 * Both stores as the floor's two processes use them, with the durability of the product: majority, journalled.
 * Environment: MONGODB_URI, MONGODB_DB, REDIS_URL, QUEUE_PREFIX.
 */
export async function openStores() {
  const client = new mongoose.mongo.MongoClient(required('MONGODB_URI'), {
    maxPoolSize: 8,
    // A retryable write also writes its number into the server's own table; the protocol itself resolves a lost answer.
    retryWrites: false,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
  });
  await client.connect();
  /** @type {Plays} */
  const plays = client.db(required('MONGODB_DB')).collection('plays');
  return { client, plays };
}

/** The indexes that the protocol needs (its section 2), and no others. @param {Plays} plays */
export async function ensureIndexes(plays) {
  await plays.createIndexes([
    {
      key: { company_id: 1, flowId: 1, key: 1 },
      unique: true,
      partialFilterExpression: { key: { $type: 'string' } },
    },
    { key: { heartbeatAt: 1 }, partialFilterExpression: { heartbeatAt: { $exists: true } } },
    { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
  ]);
}

export const QUEUE = 'plays';

/** @param {string} name shows in CLIENT LIST */
export function openRedis(name) {
  return new Redis(required('REDIS_URL'), { connectionName: name, maxRetriesPerRequest: null });
}

/** @param {string} name */
export function required(name) {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}
