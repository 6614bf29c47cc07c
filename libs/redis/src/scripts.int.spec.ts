import { liveRedis } from '@weft/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { openRedis } from './open-redis.js';
import { LUA, Scripts } from './scripts.js';

const live = liveRedis();
const redis = openRedis(live.url, 'commands', 'test');
await once(redis, 'ready');
const userKey = `${live.prefix}:user`;

afterAll(() => redis.disconnect());

describe('the scripts', () => {
  it('are the files of the folder, each with a name', () => {
    const folder = new URL('./lua/', import.meta.url);
    const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
    expect(texts.sort()).toEqual(Object.values(LUA).sort());
  });

  it('are all accepted by Redis', async () => {
    for (const text of Object.values(LUA)) expect(await redis.script('LOAD', text)).toMatch(/^[0-9a-f]{40}$/);
  });

  it('run over one connection for several users of it', async () => {
    const [one, other] = [new Scripts(redis), new Scripts(redis)];
    const claim = { keys: [userKey], args: ['g1', 2, 10_000, 5] } as const;
    expect(await one.one('claimConnections', claim)).toBe(0);
    expect(await other.one('claimConnections', { ...claim, args: ['g2', 3, 10_000, 5] })).toBe(2);
  });

  it('fail one by one when many are called, and throw only when all of them fail', async () => {
    const scripts = new Scripts(redis);
    const ofNoHash = `${live.prefix}:text`;
    await redis.set(ofNoHash, 'text');
    const claimOf = (key: string) => ({ keys: [key], args: ['g3', 0, 10_000, 5] }) as const;
    const [good, bad] = [claimOf(userKey), claimOf(ofNoHash)];
    expect(await scripts.each('claimConnections', [bad, good])).toEqual([expect.any(Error), expect.any(Number)]);
    await expect(scripts.each('claimConnections', [bad, bad])).rejects.toThrow('WRONGTYPE');
  });
});
