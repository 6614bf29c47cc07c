import { openChannels, openRedis, RedisNames } from '@weft/redis';
import { liveRedis, waitFor } from '@weft/testing';
import { afterEach, describe, expect, it } from 'vitest';

import { BusSeal } from './bus-seal.js';
import { LayerTries, type AskedTry, type OfferedTry } from './layer-tries.js';

const { url, prefix } = liveRedis();
const seal = new BusSeal(
  { encKeySecret: 'a'.repeat(64), encKeySecretPrevious: [], envKeySalt: '5'.repeat(64) },
  { now: () => Date.now() },
);
let ids = 0;
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

/** One process with its two connections, which are ready. */
async function replica(name: string, sealed = seal) {
  const publisher = openRedis(url, 'commands', `${prefix}-${name}-commands`);
  const channels = openChannels(url, `${prefix}-${name}`);
  opened.push({
    close: () => {
      channels.close();
      publisher.disconnect();
    },
  });
  await waitFor(() => publisher.status === 'ready' && channels.isConnected(), { what: 'both connections' });
  const tries = new LayerTries(publisher, channels, prefix, sealed, name, () => `${name}${(ids += 1)}`);
  const subscribed = Promise.withResolvers<unknown>();
  channels.onGap(subscribed.resolve);
  return { tries, publisher, subscribed: subscribed.promise };
}

/** One that asks, and workers that do what they are given. */
async function setUp(...workers: readonly ((offer: OfferedTry) => unknown)[]) {
  const api = await replica('api');
  api.tries.listen();
  await api.subscribed;
  const withdrawn: string[] = [];
  for (const [i, work] of workers.entries()) {
    const worker = await replica(`worker-${i}`);
    worker.tries.serve({ offered: (offer) => void work(offer), withdrawn: (id) => withdrawn.push(id) });
    await worker.subscribed;
  }
  const gone = new AbortController();
  const ask = (asked: Partial<AskedTry> = {}) =>
    api.tries.ask({ companyId: 'c', request: 'please', answerMs: 60_000, gone: gone.signal, ...asked });
  const left = async () => (await api.publisher.keys(`${prefix}:try:*`)).length;
  return { ask, gone, withdrawn, left, redis: api.publisher };
}

describe('LayerTries', () => {
  it('gives the answer of the one worker that took the request, and leaves nothing in Redis', async () => {
    const took: string[] = [];
    const worker = (name: string) => async (offer: OfferedTry) => {
      const request = await offer.take();
      if (request === null) return;
      took.push(name);
      await offer.answer(`${request}: done`);
    };
    const { ask, left } = await setUp(worker('one'), worker('two'));
    const ends = await Promise.all(Array.from({ length: 8 }, (_, i) => ask({ request: `ask ${i}` })));
    expect(ends).toEqual(Array.from({ length: 8 }, (_, i) => ({ answer: `ask ${i}: done` })));
    expect(took).toHaveLength(8);
    expect(await left()).toBe(0);
  });

  it('says at once that no worker runs', async () => {
    const { ask, left } = await setUp();
    expect(await ask()).toEqual({ none: 'no_worker' });
    expect(await left()).toBe(0);
  });

  it('takes a request back that no worker takes, so that none does later', async () => {
    const offers: OfferedTry[] = [];
    const { ask, left } = await setUp((offer) => offers.push(offer));
    // a request that has expired, after twice that time, may have been taken
    expect(await ask({ takeMs: 1_000 })).toEqual({ none: 'busy' });
    expect(await left()).toBe(0);
    expect(await offers[0]?.take()).toBeNull();
  });

  it('says of a worker that ends without an answer that it may have made the call, and tells workers that nobody waits', async () => {
    const { ask, withdrawn } = await setUp((offer) => offer.take());
    expect(await ask({ answerMs: 1 })).toEqual({ none: 'unanswered' });
    await waitFor(() => withdrawn.length === 1, { what: 'the withdrawal' });
  });

  it('takes the request back from the worker when the one who asks goes', async () => {
    const taken = Promise.withResolvers<unknown>();
    const { ask, gone, withdrawn } = await setUp((offer) => offer.take().then(taken.resolve));
    const end = ask();
    await taken.promise;
    gone.abort();
    expect(await end).toEqual({ none: 'gone' });
    await waitFor(() => withdrawn.length === 1, { what: 'the withdrawal' });
    expect(await ask()).toEqual({ none: 'gone' });
  });

  it('is not run when Redis has lost it', async () => {
    const offered = Promise.withResolvers<OfferedTry>();
    const { ask, redis } = await setUp((offer) => offered.resolve(offer));
    const end = ask({ takeMs: 50, answerMs: 1 });
    const offer = await offered.promise;
    await redis.del(new RedisNames(prefix).layerTry(offer.id));
    expect(await offer.take()).toBeNull();
    expect(await end).toEqual({ none: 'unanswered' });
  });

  it('ignores requests that somebody else has written, and answers that are not to it', async () => {
    const takes: (string | null)[] = [];
    const { ask, redis } = await setUp(async (offer) => takes.push(await offer.take()));
    const names = new RedisNames(prefix);
    await redis.set(names.layerTry('forged'), seal.seal('another subject', 'please'));
    await redis.publish(names.tries, JSON.stringify(['offer', 'forged', 'c', 'api']));
    await redis.publish(names.tries, 'not ours');
    await waitFor(() => takes.length === 1, { what: 'the forged offer' });
    expect(takes).toEqual([null]);
    const end = ask({ answerMs: 200 });
    await waitFor(() => takes.length === 2, { what: 'the request' });
    await redis.publish(names.tryAnswers('api'), `api${ids} ${seal.seal('another subject', 'forged')}`);
    expect(await end).toEqual({ none: 'unanswered' });
  });
});
