import { liveMongo } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { Mongo } from './mongo.js';
import type { Hello } from './primary-hellos.js';

const live = liveMongo();
const mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'spec' });
afterAll(() => mongo.close());

/** The election that made the tests' server the primary. */
const { electionId } = (await mongo.db.command({ hello: 1 })) as Hello;

function hear(localTime: Date, of: object = { isWritablePrimary: true, electionId }): void {
  mongo.connection.getClient().emit('serverHeartbeatSucceeded', { reply: { localTime, ...of } } as never);
}

it.each([
  ['', 20],
  ['&maxPoolSize=3', 3],
  ['&maxPoolSize=0', 20],
])('has as many connections as the address allows: "%s"', async (more, size) => {
  const opened = await Mongo.open({ uri: live.uri + more, db: live.db, appName: 'spec' });
  expect(opened.connection.getClient().options.maxPoolSize).toBe(size);
  await opened.close();
});

it('reads from the primary, whatever the address says', async () => {
  const opened = await Mongo.open({
    ...{ uri: `${live.uri}&readPreference=secondaryPreferred`, db: live.db, appName: 'spec' },
  });
  const things = opened.collection('things');
  await opened.transaction(async (session) => {
    await things.insertOne({ name: 'one' }, { session });
    expect(await things.countDocuments({}, { session })).toBe(1);
  });
  await opened.close();
});

describe('the clock of MongoDB', () => {
  it('is that of the server', () => {
    expect(Math.abs(mongo.serverNow() - Date.now())).toBeLessThan(1_000);
  });

  it('is not set back by words that lay unread while the process was frozen', () => {
    hear(new Date());
    hear(new Date(Date.now() - 5_000));
    expect(Math.abs(mongo.serverNow() - Date.now())).toBeLessThan(1_000);
  });

  it.each([
    ['a secondary', { isWritablePrimary: false, secondary: true }],
    ['a secondary of an older version', { ismaster: false, secondary: true }],
    ['an arbiter', { isWritablePrimary: false, arbiterOnly: true }],
    ['a primary whose time is over', { isWritablePrimary: true, electionId: '7ffffff0' }],
  ])('is not that of %s', (_who, of) => {
    for (let i = 0; i < 8; i += 1) hear(new Date(Date.now() + 3_600_000), of);
    expect(Math.abs(mongo.serverNow() - Date.now())).toBeLessThan(1_000);
  });

  it('follows a server whose clock was set back', () => {
    for (let i = 0; i < 8; i += 1) hear(new Date(Date.now() - 60_000));
    expect(Math.abs(mongo.serverNow() - Date.now() + 60_000)).toBeLessThan(1_000);
  });
});
