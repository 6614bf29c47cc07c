import { liveMongo } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { Mongo } from './mongo.js';

const live = liveMongo();
const mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'spec' });
afterAll(() => mongo.close());

function hear(localTime: Date): void {
  mongo.connection.getClient().emit('serverHeartbeatSucceeded', { reply: { localTime } } as never);
}

describe('the clock of MongoDB', () => {
  it('is that of the server', () => {
    expect(Math.abs(mongo.serverNow() - Date.now())).toBeLessThan(1_000);
  });

  it('is not set back by words that lay unread while the process was frozen', () => {
    hear(new Date());
    hear(new Date(Date.now() - 5_000));
    expect(Math.abs(mongo.serverNow() - Date.now())).toBeLessThan(1_000);
  });

  it('follows a server whose clock was set back', () => {
    for (let i = 0; i < 8; i += 1) hear(new Date(Date.now() - 60_000));
    expect(Math.abs(mongo.serverNow() - Date.now() + 60_000)).toBeLessThan(1_000);
  });
});
