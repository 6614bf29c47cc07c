// Processes of its own: two workers share what one destination may get.
import { DESTINATIONS, type DestinationDocument } from '@weft/records';
import { openRedis, RedisNames } from '@weft/redis';
import { ledgerServer, waitFor, type ApiClient } from '@weft/testing';
import { once } from 'node:events';
import { afterAll, expect, it } from 'vitest';
import { neighbourCompany } from '../e2e/harness/neighbour-company.js';
import { startFleet } from '../e2e/harness/fleet.js';
import { CAMPAIGN_TIMEOUT_MS, MINUTES } from './harness/campaign-length.js';
import { watchPlays } from './harness/cluster.js';
import { runMany } from './harness/single-call-flow.js';
import { steadyLoad } from './harness/steady-load.js';

/** Runs a second of the flow whose peer goes down; the other company runs a tenth of it. */
const RATE = MINUTES > 0 ? 200 : 60;
const REQUESTS = 10;
const NORMAL_MS = MINUTES > 0 ? 15_000 : 2_500;
const DOWN_MS = MINUTES > 0 ? MINUTES * 60_000 : 4_000;
/** A worker acts by the new state at the latest when no call has come for longer than a failed one waits before its next attempt. */
const QUIET_MS = 1_500;
/** Calls in a second after the return, to those before the outage as workers counted them; and these to those that arrived. */
const MOST_OF_NORMAL = 1.2;
const SECOND_MS = 1_000;
/** A peer that was called less often, by a slow machine, gets what waits more slowly. */
const ENDED_WITHIN_MS = 120_000 + MINUTES * 120_000;
/** Of the peer's clock: a machine that stands still for a part of a second delivers its calls together afterwards. */
const LONG_MS = 5_000;

const fleet = await startFleet({ apps: ['api', 'worker', 'worker', 'scheduler'] });
const { admin, ledger } = fleet;
const neighbour = await neighbourCompany(fleet);
const others = await ledgerServer();
afterAll(() => others.close());
const { plays } = await watchPlays(fleet.servers);

async function parkingFlow(client: ApiClient, url: string): Promise<string> {
  const { id } = await client.createFlow({ name: url, settings: { onDestinationDown: 'park' } });
  const retry = { attempts: 10, backoff: 'fixed', delayMs: SECOND_MS, maxDelayMs: SECOND_MS };
  await client.addLayer(id, { ref: 'call', appId: 'web-request', args: { url }, retry });
  return id;
}

/** The most of these times in any period of this length, wherever it begins. */
function mostIn(ms: number, times: readonly number[]): number {
  let [from, most] = [0, 0];
  for (const [to, at] of times.entries()) {
    while (at - (times[from] ?? at) >= ms) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

/** When calls were let through after the return, by the clock of Redis: it keeps the newest ones. */
function watchPasses(companyId: string, address: string): { stop(): Promise<number[]> } {
  const redis = openRedis(fleet.servers.redisUrl, 'commands', 'chaos');
  const [key] = new RedisNames(fleet.servers.queuePrefix).callRate(companyId, `recovery:${address}`, '');
  const seen = new Set<string>();
  let isOver = false;
  const watching = once(redis, 'ready').then(() =>
    waitFor(
      async () => {
        for (const at of await redis.lrange(key, 0, -1)) seen.add(at);
        return isOver;
      },
      { what: 'the end of the watch', withinMs: ENDED_WITHIN_MS + 60_000 },
    ),
  );
  return {
    stop: async () => {
      isOver = true;
      await watching;
      redis.disconnect();
      return [...seen].map((us) => Number(us) / 1_000).sort((a, b) => a - b);
    },
  };
}

const arrivedAfter = (ms: number) => ledger.calls.map(({ at }) => at.getTime()).filter((at) => at >= ms);

it(
  'gives a destination that is down hardly a call, ends every play after its return without a rush, and leaves other companies alone',
  async ({ annotate }) => {
    const path = `/api/v1/destinations/127.0.0.1:${ledger.port}`;
    const view = async () =>
      (await admin.send<{ state?: string; parked: number; nextProbe: string }>('GET', path)).body;
    const [flowId, otherFlowId] = [await parkingFlow(admin, ledger.url), await parkingFlow(neighbour, others.url)];
    const accepted: string[] = [];
    const other: string[] = [];
    // What processes open once would delay the first calls, and they would arrive together: at more than the rate of the runs.
    other.push(...(await runMany(neighbour, otherFlowId, REQUESTS)));
    await waitFor(() => others.calls.length >= other.length, { what: 'the first calls' });
    const load = steadyLoad(REQUESTS, async () => {
      accepted.push(...(await runMany(admin, flowId, RATE / REQUESTS)));
      other.push((await neighbour.run(otherFlowId)).playId);
    });
    const normalUntil = performance.now() + NORMAL_MS;
    const isNormal = () => performance.now() > normalUntil && ledger.calls.length > RATE;
    await waitFor(isNormal, { what: 'normal times', withinMs: NORMAL_MS + 60_000 });

    ledger.answerWith(() => ({ hangUp: true }));
    const failsFrom = performance.now();
    const mostBefore = mostIn(SECOND_MS, arrivedAfter(0));
    await waitFor(async () => (await view()).state === 'down', { what: 'the peer to be down', withinMs: 30_000 });
    const detectedMs = Math.round(performance.now() - failsFrom);
    const saidDownAt = Date.now();
    // but one that tries whether the peer has come back
    const isQuiet = () => arrivedAfter(Date.now() - QUIET_MS).length <= 1;
    await waitFor(isQuiet, { what: 'the calls of workers that do not know yet to end', withinMs: 30_000 });
    const downFrom = Date.now();
    const quietMs = downFrom - QUIET_MS - saidDownAt;
    await waitFor(() => Date.now() >= downFrom + DOWN_MS, { what: 'the outage to last', withinMs: DOWN_MS + 10_000 });
    const whileDown = arrivedAfter(downFrom).length;
    const outage = { calls: whileDown, ofNormal: whileDown / ((RATE * DOWN_MS) / SECOND_MS) };
    const during = await view();
    const known = await plays.db.collection<DestinationDocument>(DESTINATIONS).findOne({ state: 'down' });
    const waiting = await plays.findOne({ flowId, state: 'DEFERRED' });
    const why = await admin.send('GET', `/api/v1/plays/${waiting?._id}/waiting`);

    ledger.answerWith(() => ({ body: {} }));
    const upFrom = Date.now();
    const passes = watchPasses(waiting?.company_id ?? '', `127.0.0.1:${ledger.port}`);
    await load.stop();
    await waitFor(async () => (await view()).state !== 'down', { what: 'the return', withinMs: 60_000 });
    const answeredMs = Date.now() - upFrom;
    const left = () => plays.countDocuments({ flowId, state: { $nin: ['DONE', 'FAIL'] } });
    await waitFor(async () => (await left()) === 0, { what: 'every end', withinMs: ENDED_WITHIN_MS });
    const endedMs = Date.now() - upFrom;

    const passed = await passes.stop();
    const back = arrivedAfter(upFrom);
    const of = (count: number) => `${count} (${(count / (known?.rate ?? 0)).toFixed(2)} of normal)`;
    await annotate(
      `${accepted.length} runs; down after ${detectedMs} ms, quiet ${quietMs} ms later; ${outage.calls} calls while down (${(outage.ofNormal * 100).toFixed(2)} % of normal, which was taken for ${known?.rate} a second, where at most ${mostBefore} arrived), ${during.parked} or more plays parked; answered after ${answeredMs} ms, all ended after ${endedMs} ms; in a second at most ${of(mostIn(SECOND_MS, passed))} let through, ${of(mostIn(SECOND_MS, back))} arrived`,
    );
    expect(load.unanswered).toEqual([]);
    expect(outage.ofNormal).toBeLessThanOrEqual(0.01);
    expect(during).toMatchObject({ state: 'down', nextProbe: expect.any(String) as string });
    expect(during.parked).toBeGreaterThan(RATE);
    expect(why.body).toMatchObject({ state: 'DEFERRED', reason: 'destination_down', ref: 'call' });
    expect(await plays.countDocuments({ _id: { $in: accepted }, state: 'DONE' })).toBe(accepted.length);
    // nearly all were seen on the clock by which calls are let through
    expect(passed.length).toBeGreaterThan(during.parked / 2);
    const normal = known?.rate ?? 0;
    expect(normal).toBeLessThanOrEqual(mostBefore * MOST_OF_NORMAL);
    expect(mostIn(SECOND_MS, passed)).toBeLessThanOrEqual(normal * MOST_OF_NORMAL);
    expect(mostIn(LONG_MS, back)).toBeLessThanOrEqual((normal * MOST_OF_NORMAL * LONG_MS) / SECOND_MS);
    // the other company: each play called once, none of them waited
    await waitFor(() => others.calls.length >= other.length, { what: 'the plays of the other company' });
    expect(others.calls).toHaveLength(other.length);
    expect((await neighbour.send('GET', '/api/v1/destinations')).body).toMatchObject({ total: 0 });
  },
  CAMPAIGN_TIMEOUT_MS + MINUTES * 180_000,
);
