import type { Play } from '@weft/engine';
import { aPlay } from '@weft/testing';
import type { mongo as driver } from 'mongoose';
import { describe, expect, it } from 'vitest';
import type { Mongo } from '../../driver/mongo.js';
import { isStoreUnavailable } from '../../driver/store-unavailable.js';
import { MongoPlayStore } from './mongo-play-store.js';
import { BINDING_KEY, PLAYS } from '../play.schema.js';

const HOLDER = aPlay({ playId: 'holder', idempotencyKey: 'k' });
const PLAY = aPlay({ playId: 'second', idempotencyKey: 'k' });
const TAKEN = { index: 0, code: 11_000, errmsg: `E11000 duplicate key error index: ${BINDING_KEY} dup key` };

/** MongoDB with a play that refuses each insert with its key: when a majority has it, and then it is shown. */
function storeOf(majority: (signal: AbortSignal) => Promise<readonly Play[]>) {
  let shown: readonly Play[] = [];
  let inserts = 0;
  const command = async (sent: driver.Document, { signal }: { signal: AbortSignal }) => {
    if (sent.insert === PLAYS) {
      inserts += 1;
      shown = await majority(signal);
      return { writeErrors: [TAKEN] };
    }
    return {};
  };
  const plays = { find: () => ({ toArray: () => Promise.resolve(shown) }) };
  const mongo = { db: { command }, collection: () => plays, serverNow: () => Date.now() } as unknown as Mongo;
  const store = new MongoPlayStore(mongo, { outcomePatienceMs: 0, answerWithinMs: 20 });
  return { accepted: store.accept(PLAY), inserts: () => inserts };
}

describe('a run whose key is held by a play that a majority does not have yet', () => {
  it('is answered with that play as soon as it has', async () => {
    const { accepted, inserts } = storeOf(() => Promise.resolve([HOLDER]));
    expect(await accepted).toEqual({ play: HOLDER, replayed: true });
    expect(inserts()).toBe(1);
  });

  it('is refused as by a store that is away while it has not', async () => {
    const never = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    await expect(storeOf(never).accepted).rejects.toSatisfy(isStoreUnavailable);
  });

  it('is refused likewise when the key is taken and freed without end', async () => {
    await expect(storeOf(() => Promise.resolve([])).accepted).rejects.toSatisfy(isStoreUnavailable);
  });
});
