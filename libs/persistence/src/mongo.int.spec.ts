import { liveMongo } from '@weft/testing';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { Mongo } from './mongo.js';
import { isStoreUnavailable } from './store-unavailable.js';

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

describe('an operation', () => {
  it('fails when its connection ended unnoticed before it was sent, and the next one goes on a new connection', async () => {
    const sockets: Socket[] = [];
    const note = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
    subscribe('net.client.socket', note);
    const own = await Mongo.open({ uri: live.uri, db: live.db, appName: 'spec', operationTimeoutMs: 500 });
    try {
      await own.db.command({ ping: 1 });
      for (const socket of sockets) socket.destroy();
      // The driver hears of it in a later turn of the event loop; this one is sent before.
      await expect(own.db.command({ ping: 1 })).rejects.toSatisfy(isStoreUnavailable);
      await expect(own.db.command({ ping: 1 })).resolves.toMatchObject({ ok: 1 });
    } finally {
      unsubscribe('net.client.socket', note);
      await own.close();
    }
  });
});
