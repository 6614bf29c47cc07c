import { liveRedis, waitFor } from '@weft/testing';
import { Redis } from 'ioredis';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { openRedis, type RedisPurpose } from './redis.js';

const live = liveRedis();

/** A connection by a way of its own, which goes silent: what is sent goes nowhere, and nothing comes. New ones get through. */
async function opened(purpose: RedisPurpose) {
  const { hostname, port } = new URL(live.url);
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  const way = createServer((client) => {
    const peer = connect(Number(port), hostname);
    open.add(client);
    client.on('data', (bytes) => silent.has(client) || peer.write(bytes));
    peer.on('data', (bytes) => silent.has(client) || client.write(bytes));
    for (const socket of [client, peer]) {
      socket.on('error', () => undefined);
      socket.on('close', () => [client, peer].forEach((each) => each.destroy()));
    }
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const byTheWay = new URL(live.url); // with the password
  byTheWay.hostname = '127.0.0.1';
  byTheWay.port = String((way.address() as AddressInfo).port);
  const redis = openRedis(byTheWay.href, purpose, 'test');
  afterAll(() => {
    redis.disconnect();
    way.close();
    for (const socket of open) socket.destroy();
  });
  await once(redis, 'ready');
  return { redis, loseThePeer: () => open.forEach((socket) => silent.add(socket)) };
}

describe.concurrent('a connection', () => {
  it.each(['commands', 'blocking'] as const)('for %s whose peer is gone is replaced', async (purpose) => {
    const { redis, loseThePeer } = await opened(purpose);
    const key = `${live.prefix}:${purpose}`;
    await redis.set(key, 'before');
    loseThePeer();
    const answer = () => Promise.race([redis.get(key), once(redis, 'ready').then(() => null)]).catch(() => null);
    expect(await waitFor(answer, { what: 'an answer over a new connection', withinMs: 30_000 })).toBe('before');
  });

  it('of a subscriber whose peer is gone is replaced, although nobody sends anything over it', async () => {
    const { redis, loseThePeer } = await opened('subscriber');
    const channel = `${live.prefix}:channel`;
    const heard: string[] = [];
    redis.on('message', (_channel, message: string) => heard.push(message));
    await redis.subscribe(channel);
    loseThePeer();
    const publisher = new Redis(live.url);
    await publisher.publish(channel, 'lost');
    const publish = () => publisher.publish(channel, 'late').then(() => heard.length > 0);
    await waitFor(publish, { what: 'a message', withinMs: 30_000 });
    expect(heard[0]).toBe('late');
    await publisher.quit();
  });

  it('that awaits no answer, or one that takes its time, stays', async () => {
    const { redis } = await opened('blocking');
    let closed = false;
    redis.once('close', () => (closed = true));
    expect(await redis.bzpopmin(`${live.prefix}:nothing`, 10)).toBeNull();
    expect(closed).toBe(false);
  });
});
