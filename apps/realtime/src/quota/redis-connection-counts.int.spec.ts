import { openRedis } from '@weft/redis';
import { liveRedis, waitFor } from '@weft/testing';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { RedisConnectionCounts } from './redis-connection-counts.js';
import { ConnectionQuota } from './connection-quota.js';

const { url, prefix } = liveRedis();
const redis = openRedis(url, 'commands', 'census-spec');
afterAll(() => redis.disconnect());
await once(redis, 'ready');

const GOOD_FOR_MS = 600;
const OFTEN = 50;
const NEVER = 3_600_000;
let gateways = 0;

function gateway({ refreshMs = OFTEN, over = redis } = {}) {
  const silences: unknown[] = [];
  gateways += 1;
  const census = new RedisConnectionCounts(over, {
    prefix,
    gatewayId: `g${gateways}`,
    ttlMs: GOOD_FOR_MS,
    onUnreachable: (error) => silences.push(error),
  });
  const places = new ConnectionQuota(census, 3, refreshMs);
  afterAll(() => places.close());
  return { places, silences };
}

const refused = { code: 'too_many_sockets', status: 429 };
const mayOpen = (places: ConnectionQuota, userId: string) =>
  places.reserve(userId).then(
    () => true,
    () => false,
  );

describe('the sockets of a user', () => {
  it('are bounded over two gateways, and a place that one frees the other can take', async () => {
    const [one, two] = [gateway().places, gateway().places];
    const freed = await one.reserve('u1');
    await one.reserve('u1');
    await two.reserve('u1');
    await two.reserve('u2');
    for (const places of [one, two]) await expect(places.reserve('u1')).rejects.toMatchObject(refused);
    freed();
    await waitFor(() => mayOpen(two, 'u1'), { what: 'the place' });
    await expect(one.reserve('u1')).rejects.toMatchObject(refused);
  });

  it('are never more when both ask at once', async () => {
    const both = [gateway().places, gateway().places];
    const asked = await Promise.all(
      Array.from({ length: 20 }, (_, i) => mayOpen(both[i % 2] as ConnectionQuota, 'u3')),
    );
    expect(asked.filter(Boolean)).toHaveLength(3);
  });

  it('count as long as their gateway lives, and no longer when it died', async () => {
    const [living, dying, other] = [gateway(), gateway({ refreshMs: NEVER }), gateway()];
    await living.places.reserve('u4');
    await dying.places.reserve('u4');
    await dying.places.reserve('u4');
    await expect(other.places.reserve('u4')).rejects.toMatchObject(refused);
    for (const what of ['its first place', 'its second place']) {
      await waitFor(() => mayOpen(other.places, 'u4'), { what });
    }
    await expect(other.places.reserve('u4')).rejects.toMatchObject(refused);
  });

  it('leave nothing behind with a gateway that stops', async () => {
    const { places } = gateway();
    await places.reserve('u5');
    expect(await redis.exists(`{${prefix}:sockets}:u5`)).toBe(1);
    await places.close();
    expect(await redis.exists(`{${prefix}:sockets}:u5`)).toBe(0);
  });

  it('are known again at once when Redis has lost them and is back', async () => {
    const own = openRedis(url, 'commands', 'census-spec-lost');
    await once(own, 'ready');
    const [one, two] = [gateway({ refreshMs: NEVER, over: own }).places, gateway().places];
    for (let i = 0; i < 3; i += 1) await one.reserve('u6');
    await redis.del(`{${prefix}:sockets}:u6`);
    own.disconnect(true);
    await waitFor(async () => (await redis.exists(`{${prefix}:sockets}:u6`)) === 1, { what: 'the count' });
    await expect(two.reserve('u6')).rejects.toMatchObject(refused);
    own.disconnect();
  });
});

describe('a gateway without Redis', () => {
  it('counts its own sockets, and says so', async () => {
    const away = openRedis('redis://127.0.0.1:1', 'commands', 'census-spec-away');
    const { places, silences } = gateway({ over: away });
    const opened = [];
    for (let i = 0; i < 4; i += 1) opened.push(await mayOpen(places, 'u7'));
    expect([opened, silences.length]).toEqual([[true, true, true, false], 3]);
    away.disconnect();
  });

  it('waits for one that hangs no longer than its deadline', async () => {
    const hanging = createServer(() => undefined);
    hanging.listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    const { port } = hanging.address() as AddressInfo;
    const mute = openRedis(`redis://127.0.0.1:${port}`, 'commands', 'census-spec-mute');
    mute.options.enableOfflineQueue = true;
    const { places, silences } = gateway({ over: mute, refreshMs: NEVER });
    await places.reserve('u8');
    expect(String(silences[0])).toContain('did not answer within 250 ms');
    mute.disconnect();
    hanging.close();
  });
});
