import { liveRedis, waitFor } from '@weft/testing';
import { Redis } from 'ioredis';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, type TestContext } from 'vitest';
import { openRedis, type RedisPurpose } from './open-redis.js';

const live = liveRedis();

/**
 * A connection through a proxy whose connections go silent on demand: nothing passes through them any more. New ones work.
 */
async function opened(purpose: RedisPurpose, { onTestFinished }: TestContext) {
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
  onTestFinished(() => {
    redis.disconnect();
    way.close();
    for (const socket of open) socket.destroy();
  });
  await once(redis, 'ready');
  return { redis, loseThePeer: () => open.forEach((socket) => silent.add(socket)) };
}

describe.concurrent('a connection', () => {
  it.for(['commands', 'blocking'] as const)('for %s whose peer is gone is replaced', async (purpose, context) => {
    const { redis, loseThePeer } = await opened(purpose, context);
    const key = `${live.prefix}:${purpose}`;
    await redis.set(key, 'before');
    loseThePeer();
    // Null: no answer. `{ value: null }` is an answer: the key does not exist.
    const answer = () =>
      Promise.race([redis.get(key).then((value) => ({ value })), once(redis, 'ready').then(() => null)]).catch(
        () => null,
      );
    const answered = await waitFor(answer, { what: 'an answer over a new connection', withinMs: 30_000 });
    expect(answered).toEqual({ value: 'before' });
  });

  it('of a subscriber whose peer is gone is replaced, although nobody sends anything over it', async (context) => {
    const { redis, loseThePeer } = await opened('subscriber', context);
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

  it('that awaits no answer, or one that takes its time, stays', async (context) => {
    const { redis } = await opened('blocking', context);
    let closed = false;
    redis.once('close', () => (closed = true));
    expect(await redis.bzpopmin(`${live.prefix}:nothing`, 10)).toBeNull();
    expect(closed).toBe(false);
  });
});
