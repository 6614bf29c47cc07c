import { numberEvents, type PlayWrite } from '@weft/engine';
import { aPlay } from '@weft/testing';
import type { mongo as driver } from 'mongoose';
import { expect, it } from 'vitest';
import type { Mongo } from '../../driver/mongo.js';
import { MongoPlayStore } from './mongo-play-store.js';
import { playKeyOf } from '../play-keys.js';
import { PLAYS } from '../play.schema.js';

const PLAY = aPlay({ playId: 'p' });
const END: PlayWrite = {
  match: { epoch: PLAY.epoch, seq: PLAY.seq, states: ['NEW'] },
  set: { state: 'FAIL', seq: PLAY.seq + 1 },
  unset: [],
  touch: ['completedAt'],
  layers: [],
  log: numberEvents(PLAY.seq, [{ type: 'state', from: 'NEW', state: 'FAIL', at: new Date() }]),
};

/** It has the end, and shows the play as it was before until a majority has all that it has. */
function slowMajority(): Mongo {
  const { _id, epoch, seq, cursor } = PLAY;
  let shown: object = { _id, epoch, seq, cursor };
  const command = (sent: driver.Document) => {
    if (sent.update === PLAYS) shown = { ...shown, seq: seq + 1, lastEntry: END.log.at(-1) };
    return Promise.resolve({});
  };
  const plays = { find: () => ({ toArray: () => Promise.resolve([shown]) }) };
  return { db: { command }, collection: () => plays, serverNow: () => Date.now() } as unknown as Mongo;
}

it('finds out that an end is stored whose answer was lost, also while a majority does not have it yet', async () => {
  const store = new MongoPlayStore(slowMajority(), { outcomePatienceMs: 0 });
  expect(await store.becameStored(playKeyOf(PLAY), END)).toBe(true);
});
