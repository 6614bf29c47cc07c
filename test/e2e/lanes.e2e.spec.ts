import type { PlayView } from '@weft/contracts';
import { ApiClient, waitFor, type LedgerCall } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';

const { admin, ledger, add } = await sharedFleet();
await add('worker');
const other = new ApiClient((await add('api')).url, { cookie: admin.credentials.cookie ?? '' });

interface Lane {
  readonly state: string;
  readonly head: { readonly playId: string; readonly state: string } | null;
  readonly waiting: number;
  readonly next: readonly { readonly playId: string }[];
}

interface Waiting {
  readonly circle: boolean;
  readonly chain: readonly { readonly playId: string; readonly waitsFor: string; readonly queue?: string }[];
}

const laneOf = (lane: string) => admin.must<Lane>(200, 'GET', `/api/v1/lanes/${encodeURIComponent(lane)}`);
const bodyOf = ({ body }: LedgerCall) => JSON.parse(body) as { readonly lane: string; readonly n: number };

/** What the calls that are under way wait for, by number of the play. */
const open = new Map<string, () => void>();
let isHolding = false;
let refused = -1;
ledger.answerWith(async (call) => {
  const { lane, n } = bodyOf(call);
  if (isHolding) await new Promise<void>((resolve) => open.set(`${lane} ${n}`, resolve));
  return n === refused ? { status: 422, body: {} } : { body: { n } };
});

async function flowOf(settings: object, url = `${ledger.url}/lanes`): Promise<string> {
  const { id } = await admin.createFlow({ name: `lanes ${JSON.stringify(settings)}`, settings });
  const body = { lane: '{{ $prev.args.lane }}', n: '{{ $prev.args.n }}' };
  await admin.addLayer(id, { ref: 'call', appId: 'web-request', args: { method: 'POST', url, body } });
  return id;
}

const run = async (flowId: string, lane: string, n: number, more: object = {}, by = admin): Promise<string> =>
  (await by.run(flowId, { lane, args: { lane, n }, ...more })).playId;

const statesOf = async (ids: readonly string[]): Promise<string[]> =>
  (await Promise.all(ids.map((id) => admin.waitForPlay(id)))).map(({ state }) => state);

describe('a lane', () => {
  it('runs the plays of two flows one at a time in order, beside other lanes, with several workers and API processes', async () => {
    const url = `${ledger.url}/order`;
    const flows = [await flowOf({}, url), await flowOf({ concurrency: 3 }, url)];
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1) {
      for (const lane of ['a', 'b', 'c'])
        ids.push(await run(flows[n % 2] ?? '', lane, n, {}, n % 3 === 0 ? other : admin));
    }
    expect(await statesOf(ids)).toEqual(ids.map(() => 'DONE'));
    const calls = ledger.callsTo('/order').map(bodyOf);
    for (const lane of ['a', 'b', 'c']) {
      expect(calls.filter((call) => call.lane === lane).map(({ n }) => n)).toEqual(
        Array.from({ length: 30 }, (_, n) => n),
      );
      expect(await laneOf(lane)).toMatchObject({ state: 'idle', head: null, waiting: 0 });
    }
  });

  it('shows who has the turn and who waits; an editor skips a play that is at work, and the next one runs', async () => {
    const flowId = await flowOf({ onLaneFail: 'stop' });
    isHolding = true;
    const [first, second, third] = [await run(flowId, 's', 0), await run(flowId, 's', 1), await run(flowId, 's', 2)];
    await waitFor(() => open.has('s 0'), { what: 'the first call' });
    expect(await laneOf('s')).toMatchObject({
      ...{ state: 'running', waiting: 2, head: { playId: first, state: 'RUN' } },
      next: [{ playId: second }, { playId: third }],
    });
    const waiting = await admin.must<{ reason: string; position: number }>(
      200,
      'GET',
      `/api/v1/plays/${third}/waiting`,
    );
    expect(waiting).toMatchObject({ reason: 'lane', position: 2, limit: 1 });
    await admin.must(200, 'POST', '/api/v1/lanes/s/skip', { playId: first });
    await waitFor(() => open.has('s 1'), { what: 'the second call' });
    expect(open.has('s 2')).toBe(false);
    expect((await admin.waitForPlay(first)).error?.code).toBe('cancelled');
    isHolding = false;
    for (const answer of open.values()) answer();
    expect(await statesOf([second, third])).toEqual(['DONE', 'DONE']);
  });

  it('stops at a play that fails, until its retry is done', async () => {
    const flowId = await flowOf({ onLaneFail: 'stop' });
    refused = 5;
    const [failing, next] = [await run(flowId, 'r', 5), await run(flowId, 'r', 6)];
    expect((await admin.waitForPlay(failing)).state).toBe('FAIL');
    await waitFor(async () => (await laneOf('r')).state === 'stopped', { what: 'the lane to stop' });
    expect((await admin.play(next)).state).toBe('DEFERRED');
    refused = -1;
    const { playId: again } = await admin.must<{ playId: string }>(202, 'POST', `/api/v1/plays/${failing}/retry`);
    expect(await statesOf([again, next])).toEqual(['DONE', 'DONE']);
    const numbers = ledger
      .callsTo('/lanes')
      .map(bodyOf)
      .filter(({ lane }) => lane === 'r');
    expect(numbers.map(({ n }) => n)).toEqual([5, 5, 6]);
  });

  it('lets go of plays that are cancelled or too late while they wait, and takes delayed ones when they are due', async () => {
    const flowId = await flowOf({});
    isHolding = true;
    open.clear();
    const first = await run(flowId, 'w', 0);
    await waitFor(() => open.has('w 0'), { what: 'the first call' });
    const cancelled = await run(flowId, 'w', 1);
    const late = await run(flowId, 'w', 2, { notAfter: new Date(Date.now() + 500).toISOString() });
    const delayed = await run(flowId, 'w', 3, { delayMs: 300 });
    const last = await run(flowId, 'w', 4);
    await admin.must(200, 'POST', `/api/v1/plays/${cancelled}/cancel`);
    expect(await admin.waitForPlay(late)).toMatchObject({ state: 'SKIP', error: { code: 'too_late' } });
    await waitFor(async () => (await laneOf('w')).waiting === 2, { what: 'the delayed play to join' });
    isHolding = false;
    open.get('w 0')?.();
    expect(await statesOf([first, cancelled, delayed, last])).toEqual(['DONE', 'FAIL', 'DONE', 'DONE']);
    const numbers = ledger
      .callsTo('/lanes')
      .map(bodyOf)
      .filter(({ lane }) => lane === 'w');
    expect(numbers.map(({ n }) => n)).toEqual([0, 3, 4]);
  });

  it('refuses to let a play wait for one that waits for its turn', async () => {
    const child = await flowOf({ lane: '{{ $prev.args.lane }}' });
    const parent = await admin.createFlow({ name: 'parent' });
    const args = { flowId: child, args: { lane: '{{ $prev.args.lane }}', n: 1 } };
    await admin.addLayer(parent.id, { ref: 'child', appId: 'run-flow', args });
    const inItsLane = await admin.run(parent.id, { lane: 'p', args: { lane: 'p' } });
    expect((await admin.waitForPlay(inItsLane.playId)).error).toMatchObject({ code: 'waits_for_itself', ref: 'child' });
    const inAnother = await admin.run(parent.id, { lane: 'p', args: { lane: 'q' } });
    expect((await admin.waitForPlay(inAnother.playId)).state).toBe('DONE');
  });

  it('names plays that wait for each other, and lets the others go on when a person cancels one', async () => {
    const child = await flowOf({ lane: '{{ $prev.args.lane }}' });
    const parent = await flowOf({});
    const args = { flowId: child, args: { lane: '{{ $prev.args.other }}', n: 1 } };
    await admin.addLayer(parent, { ref: 'child', appId: 'run-flow', args });
    isHolding = true;
    open.clear();
    const parents: string[] = [];
    for (const [lane, other] of [
      ['x', 'y'],
      ['y', 'x'],
    ])
      parents.push((await admin.run(parent, { lane, args: { lane, other, n: 0 } })).playId);
    await waitFor(() => open.size === 2, { what: 'both parents to have their turns' });
    isHolding = false;
    for (const answer of open.values()) answer();
    const [first = '', second = ''] = parents;
    const why = () => admin.must<Waiting>(200, 'GET', `/api/v1/plays/${first}/waiting`);
    await waitFor(async () => (await why()).circle, { what: 'the plays to wait for each other' });
    const { chain } = await why();
    expect(chain.map(({ waitsFor, queue }) => [waitsFor, queue])).toEqual([
      ['child', undefined],
      ['turn', 'lane:y'],
      ['child', undefined],
      ['turn', 'lane:x'],
      ['child', undefined],
    ]);
    expect([chain[0], chain[2], chain[4]].map((entry) => entry?.playId)).toEqual([first, second, first]);
    await admin.must(200, 'POST', `/api/v1/plays/${chain[1]?.playId}/cancel`);
    expect(await statesOf(parents)).toEqual(['FAIL', 'DONE']);
    for (const lane of ['x', 'y']) expect(await laneOf(lane)).toMatchObject({ state: 'idle', waiting: 0 });
  });
});

it('a play in a lane says so', async () => {
  const flowId = await flowOf({ lane: 'orders-{{ $prev.args.n }}' });
  const { playId } = await admin.run(flowId, { args: { lane: '-', n: 1042 } });
  expect(await admin.must<PlayView>(200, 'GET', `/api/v1/plays/${playId}`)).toMatchObject({ lane: 'orders-1042' });
  expect((await admin.waitForPlay(playId)).state).toBe('DONE');
});
