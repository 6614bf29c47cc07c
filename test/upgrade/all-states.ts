import type { PlayState } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { KV_STORES, type KvDocument } from '@weft/records';
import { waitFor, type ApiClient, type RunBody } from '@weft/testing';
import { playFaults } from '../chaos/harness/play-faults.js';
import type { StoredPlays } from '../chaos/harness/cluster.js';

/** How a play is to end; it is in its args. `waits`: for whom it waits until `endAll`. */
interface Fate {
  readonly ends: PlayState;
  readonly waits?: 'approval';
}

/** Long enough that plays are in it when the database is copied or its processes are replaced, and short enough to wait for. */
const LATER_MS = 20_000;
const LARGE = 300_000;
const EVENT = 'upgraded';

interface Part {
  readonly appId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly [option: string]: unknown;
}

const FAILS: Part = { appId: 'code', args: { source: 'throw new Error("it fails")' } };
/** A failure that may pass, so that it is called again. */
const OVERRUNS: Part = { appId: 'code', args: { source: 'for (;;) {}', timeoutMs: 50 } };
const WAITS: Part = { appId: 'wait-event', args: { name: EVENT } };

const COUNT = 'count of ';
/** The last layer of each flow: it shows that a play has come there, and how often. */
export const COUNTED = {
  ...{ ref: 'counted', appId: 'kv' },
  args: { op: 'increment', key: `${COUNT}{{ $play.id }}` },
};

/**
 * Makes plays in every state, each with the end in its args that it is to have, and what else an installation stores. It talks to the
 * API alone, so any build can be asked.
 *
 * @returns the ids of all plays that were accepted
 */
export async function makeAll(admin: ApiClient, plays: StoredPlays): Promise<readonly string[]> {
  const accepted: string[] = [];
  const flow = async (name: string, parts: readonly Part[], fields: object = {}): Promise<string> => {
    const { id } = await admin.createFlow({ name, ...fields });
    for (const [i, part] of [...parts, COUNTED].entries()) await admin.addLayer(id, { ref: `part${i}`, ...part });
    return id;
  };
  const run = async (flowId: string, fate: Fate, body: RunBody = {}): Promise<string> => {
    const { playId } = await admin.run(flowId, { ...body, args: { ...fate, ...body.args } });
    accepted.push(playId);
    return playId;
  };
  const reached = (ids: readonly string[], ...states: readonly PlayState[]) => {
    const filter = { _id: { $in: [...ids] }, state: { $in: [...states] } };
    return waitFor(async () => (await plays.countDocuments(filter)) === ids.length, {
      what: `plays to be ${states.join()}`,
    });
  };

  // what ends at once
  const text: Part = { appId: 'text-template', args: { template: 'for {{ $prev.args.ends }}' } };
  const large: Part = { appId: 'code', args: { source: `return { text: "x".repeat(${LARGE}) }` } };
  const [done, fails, skips, filters] = await Promise.all([
    flow('Done', [text, large]),
    flow('Fails', [text, FAILS]),
    flow('Skips', [], { when: '{{ $prev.args.go ?? false }}' }),
    flow('Filters', [{ appId: 'filter', args: { condition: '{{ $prev.args.go ?? false }}' } }]),
  ]);
  const failed = await run(fails, { ends: 'FAIL' });
  await Promise.all([1, 2, 3].map((n) => run(done, { ends: 'DONE' }, { idempotencyKey: `order ${n}` })));
  await Promise.all([run(skips, { ends: 'SKIP' }), run(filters, { ends: 'FILTERED' })]);
  await reached([...accepted], 'DONE', 'FAIL', 'SKIP', 'FILTERED');
  const { playId: retry } = await admin.must<{ playId: string }>(202, 'POST', `/api/v1/plays/${failed}/retry`);
  accepted.push(retry);

  // what waits for somebody
  const waits = await flow('Waits', [text, WAITS]);
  const asks = await flow('Asks', [{ appId: 'approval', args: { message: 'May it?' }, ref: 'ask' }]);
  const waiting = await Promise.all([1, 2, 3].map(() => run(waits, { ends: 'DONE' })));
  waiting.push(await run(asks, { ends: 'DONE', waits: 'approval' }));
  await reached(waiting, 'WAIT');
  const held = await run(waits, { ends: 'DONE' });
  await reached([held], 'WAIT');
  await admin.must(200, 'POST', `/api/v1/plays/${held}/hold`);

  // what waits for its turn: the first play of each has it
  const inLane = await flow('In a lane', [WAITS], { settings: { lane: 'customer {{ $prev.args.customer }}' } });
  const limited = await flow('Limited', [WAITS], {
    settings: { concurrency: { limit: 1, key: '{{ $prev.args.customer }}' } },
  });
  for (let n = 0; n < 6; n += 1) {
    for (const flowId of [inLane, limited]) await run(flowId, { ends: 'DONE' }, { args: { customer: n % 2 } });
  }

  // what waits for other plays
  const child = { flowId: waits, args: { ends: 'DONE' } };
  const parent = await flow('Parent', [{ appId: 'run-flow', args: child }]);
  const items = { in: '{{ [1, 2, 3, 4, 5] }}', concurrency: 2 };
  const children = await flow('Parent of a list', [{ appId: 'run-flow', args: child, forEach: items }]);
  const parents = [await run(parent, { ends: 'DONE' }), await run(children, { ends: 'DONE' })];
  await reached(parents, 'WAIT');

  // what waits for a time
  const delays = await flow('Delays', [{ appId: 'delay', args: { ms: LATER_MS } }]);
  const retry2 = { attempts: 2, backoff: 'fixed', delayMs: LATER_MS };
  const pauses = await flow('Pauses between attempts', [{ ...OVERRUNS, retry: retry2 }]);
  const increment = { op: 'increment', key: 'rounds of {{ $play.id }}' };
  const until = '{{ $repeat.out.value >= 3 }}';
  const rounds = await flow('Rounds', [
    { appId: 'kv', args: increment, repeat: { until, max: 5, delayMs: LATER_MS / 2 } },
  ]);
  const later = await Promise.all([
    run(delays, { ends: 'DONE' }),
    run(pauses, { ends: 'FAIL' }),
    run(rounds, { ends: 'DONE' }),
    run(done, { ends: 'DONE' }, { delayMs: LATER_MS }),
  ]);

  // what else there is
  const every = { flow_id: done, schedule: '* * * * *', overlap: 'allow', args: { ends: 'DONE' } };
  await admin.must(201, 'POST', '/api/v1/scheduler/jobs', every);
  await admin.createApiKey();
  const link = { type: 'web', name: 'Sealed', access_token: 'token-of-the-peer' };
  await admin.must(201, 'POST', '/api/v1/integrations', link);
  const policy = { scope: 'plays', cadence: '90d', min_entries: 1_000, enforced_minimum: '0', enabled: true };
  await admin.must(201, 'POST', '/api/v1/admin/retention-policies', policy);
  await reached(later, 'DEFERRED');
  return accepted;
}

/** Lets all plays go on that `makeAll` has left waiting, and resolves when every play has ended. */
export async function endAll(admin: ApiClient, plays: StoredPlays): Promise<void> {
  const idsOf = async (filter: object) =>
    (await plays.find(filter, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
  const step = async (): Promise<boolean> => {
    await admin.must(202, 'POST', '/api/v1/events', { name: EVENT });
    for (const id of await idsOf({ state: 'ON_HOLD' })) await admin.must(200, 'POST', `/api/v1/plays/${id}/release`);
    for (const id of await idsOf({ state: 'WAIT', 'args.waits': 'approval' })) {
      await admin.send('POST', `/api/v1/plays/${id}/approvals/ask`, { decision: 'approve' });
    }
    return (await plays.findOne({ completedAt: { $exists: false } })) === null;
  };
  // the schedule has gone on, and ends here
  await waitFor(async () => (await plays.findOne({ trigger: 'schedule' })) !== null, {
    what: 'a slot',
    withinMs: 90_000,
  });
  const { jobs } = await admin.must<{ jobs: readonly { id: string }[] }>(200, 'GET', '/api/v1/scheduler/jobs');
  for (const { id } of jobs) await admin.must(200, 'PATCH', `/api/v1/scheduler/jobs/${id}`, { enabled: false });
  await waitFor(step, { what: 'every play to end', withinMs: 150_000 });
}

/** What is wrong when all plays have ended. Empty: every one that was accepted has ended once, as it was to, and was counted once. */
export async function faultsOf(plays: StoredPlays, accepted: readonly string[]): Promise<string[]> {
  const ended = await plays.find({ 'args.ends': { $exists: true } }).toArray();
  const known = new Set(ended.map(({ _id }) => _id));
  const wrong = ended.filter(({ state, args }) => state !== args.ends);
  const entries = await plays.db
    .collection<KvDocument>(KV_STORES)
    .find({ key: { $regex: `^${COUNT}` } })
    .toArray();
  const counts = new Map(entries.map(({ key, value }) => [key.slice(COUNT.length), value]));
  const countOf = (play: Play) => (play.layers.some(({ ref, state }) => ref === 'counted' && state === 'DONE') ? 1 : 0);
  const miscounted = ended.filter((play) => (counts.get(play._id) ?? 0) !== countOf(play));
  return [
    ...accepted.filter((id) => !known.has(id)).map((id) => `${id}: was accepted and is not there`),
    ...wrong.map(
      ({ _id, state, args, error }) =>
        `${_id}: is ${state} (${error?.code} at ${error?.ref}), not ${String(args.ends)}`,
    ),
    // of a retry the log does not tell of the layers that it took over
    ...ended.filter(({ retryOf }) => retryOf === undefined).flatMap((play) => playFaults(play)),
    ...miscounted.map(
      (play) => `${play._id}: came ${countOf(play)} times to its end, and was counted ${counts.get(play._id)} times`,
    ),
  ];
}
