// Processes of its own: what delivers webhooks is killed.
import { journal } from '@weft/engine';
import { ledgerServer, waitFor, type AppName, type SpawnedProcess } from '@weft/testing';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { followAll, type Change } from '../../docs/examples/watch.js';
import { CAMPAIGN_TIMEOUT_MS, faultsInTurn } from './harness/campaign-length.js';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { startLoad } from './harness/load.js';

const FAULTS = ['api', 'worker', 'scheduler', 'redis'];
const PLAYS_PER_FAULT = 20;
const DELIVERED_WITHIN_MS = 60_000;

interface Line {
  readonly cursor: string;
  readonly playId?: string;
  readonly seq?: number;
  readonly type?: string;
  readonly state?: string | null;
}

const cluster = await startCluster();
const { admin, ledger, redis, add, one } = cluster;
const current: Record<string, SpawnedProcess> = {
  api: await add('api'),
  worker: one('worker'),
  scheduler: one('scheduler'),
};
await add('scheduler');
await add('worker');
const receivers = { any: await ledgerServer(), ordered: await ledgerServer() };
afterAll(() => Promise.all(Object.values(receivers).map((each) => each.close())));
// each tenth call is refused, so that some events are sent again
for (const receiver of Object.values(receivers)) {
  receiver.answerWith(() => ({ status: receiver.calls.length % 10 === 9 ? 503 : 204 }));
}
const flowId = await effectFlow(admin, ledger.url);
answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 150) });
const { token } = await admin.createApiKey({ scope: 'api:read' });

async function webhook(url: string, fields: object): Promise<string> {
  const body = { name: 'chaos', url, schedule: Array(20).fill(1), ...fields };
  const { status, body: made } = await admin.send<{ id: string }>('POST', '/api/v1/webhooks', body);
  expect(status).toBe(201);
  return made.id;
}

/** Reads the feed as its page says, from whichever API answers, until the signal. */
async function readFeed(cursor: string, lines: Line[], signal: AbortSignal): Promise<void> {
  for (let at = cursor; !signal.aborted;) {
    let answer: string | null = null;
    await waitFor(async () => signal.aborted || (answer = await askFeed(at)) !== null, {
      ...{ what: 'an API that answers', withinMs: DELIVERED_WITHIN_MS },
    });
    for (const text of (answer ?? '').trim().split('\n').filter(Boolean)) {
      const line = JSON.parse(text) as Line;
      if (line.playId) lines.push(line);
      at = line.cursor;
    }
  }
}

/** Null: no API answers now. */
async function askFeed(cursor: string): Promise<string | null> {
  const running = cluster.of('api').filter((api) => api.isRunning());
  const headers = { authorization: `Bearer ${token}` };
  try {
    const response = await fetch(`${running.at(-1)?.url}/api/v1/changes?wait=5&cursor=${cursor}`, { headers });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

async function strike(fault: string): Promise<void> {
  if (fault === 'redis') {
    await redis.kill();
    await redis.start();
    return;
  }
  await current[fault]?.kill();
  current[fault] = await add(fault as AppName);
}

it(
  'gives every event at least once under one id, in order where that was asked for, and the same to sockets, feed and webhooks',
  async () => {
    const ids = {
      any: await webhook(receivers.any.url, { events: ['play.accepted', 'play.done', 'play.failed'] }),
      ordered: await webhook(receivers.ordered.url, { events: ['play.done'], ordered: true }),
    };
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    const [lines, heard]: [Line[], Change[]] = [[], []];
    const { body: first } = await admin.send<string>('GET', '/api/v1/changes');
    const { cursor } = (typeof first === 'string' ? JSON.parse(first) : first) as Line;
    const feed = readFeed(cursor, lines, stopping.signal);
    const socket = (async () => {
      for await (const change of followAll({ base: one('realtime').url, token, signal: stopping.signal })) {
        heard.push(change);
      }
    })();
    socket.catch(() => undefined);

    const accepted: string[] = [];
    for (const fault of faultsInTurn(FAULTS, FAULTS)) {
      const load = startLoad(PLAYS_PER_FAULT, 4, (n) => admin.run(flowId, { args: { n } }));
      await waitFor(() => load.answered.length > PLAYS_PER_FAULT / 3, { what: 'plays to be under way' });
      await strike(fault);
      await load.done;
      accepted.push(...load.answered.map(({ value }) => value.playId));
    }
    await waitFor(async () => (await cluster.open(accepted)) === 0, { what: 'every end', withinMs: 90_000 });

    const plays = await cluster.plays.find({ flowId }).toArray();
    const journals = new Map(plays.map((play) => [play._id, journal(play)]));
    const frames = [...journals.values()].flat();
    const nameOf = ({ playId, seq, type }: Pick<Line, 'playId' | 'seq' | 'type'>) => `${playId} ${seq} ${type}`;
    await waitFor(() => lines.length >= frames.length, { what: 'the feed', withinMs: DELIVERED_WITHIN_MS });
    expect(plays.filter(({ _id }) => accepted.includes(_id))).toHaveLength(accepted.length);

    // the feed: each change once, and in order per play
    for (const [playId, own] of journals) {
      expect(lines.filter((line) => line.playId === playId).map(nameOf)).toEqual(own.map(nameOf));
    }
    // webhooks: each event at least once, under an id that says which one it is
    const ended = lines.flatMap(({ type, state, playId, seq }) =>
      type === 'play_state_change' && state === 'DONE' ? [{ playId, seq }] : [],
    );
    expect(ended).toHaveLength(plays.length);
    const eventsOf = (id: string) => ended.map(({ playId, seq }) => `${id}_${playId}_${seq}`);
    const wanted = [...eventsOf(ids.any), ...plays.map(({ _id }) => `${ids.any}_${_id}_0`)];
    const seenAt = (to: keyof typeof receivers) =>
      new Set(receivers[to].calls.map(({ headers }) => String(headers['webhook-id'])));
    await waitFor(() => seenAt('any').size >= wanted.length && seenAt('ordered').size >= ended.length, {
      ...{ what: 'the webhooks', withinMs: DELIVERED_WITHIN_MS },
    });
    expect([...seenAt('any')].sort()).toEqual([...wanted].sort());
    // ordered: first arrivals are in the order of the feed
    expect([...seenAt('ordered')]).toEqual(eventsOf(ids.ordered));
    // sockets: nothing that is not in the journals, under the same numbers
    const known = new Set(frames.map(({ playId, seq }) => `${playId} ${seq}`));
    const strange = heard.filter(
      ({ playId, seq }) => seq > 0 && journals.has(playId) && !known.has(`${playId} ${seq}`),
    );
    expect(strange).toEqual([]);
    const union = new Set([
      ...heard
        .filter(({ playId, seq }) => seq > 0 && journals.has(playId))
        .map(({ playId, seq }) => `${playId} ${seq}`),
      ...lines.map(({ playId, seq }) => `${playId} ${seq}`),
      ...ended.map(({ playId, seq }) => `${playId} ${seq}`),
    ]);
    expect([...union].sort()).toEqual([...known].sort());
    stopping.abort();
    await feed;
  },
  CAMPAIGN_TIMEOUT_MS,
);
