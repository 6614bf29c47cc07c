import { PlayStats } from '@weft/runs';
import { SystemScope } from '@weft/store';
import { LayerCounters, StatsCounters, StatsRepository } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Json } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { windowAt } from './stats-period.js';

const { app, mongo, person } = await liveApi();
const figures = new StatsRepository(mongo);
const ALL = new SystemScope('spec');
const HOUR_MS = 3_600_000;

const admin = await person('admin');
const company_id = admin.scope.companyId;
const editor = await person('flow_editor', company_id);
const open = await storedFlow(mongo, admin, {}, { name: 'open' });
const closed = await storedFlow(mongo, admin, {}, { name: 'closed', restricted: true });

/** What a process counts and stores: `done` and `failed` plays of a flow, each of that duration. */
async function count(flowId: string, done: number, failed: number, ms: number, agoMs = 0): Promise<void> {
  const counters = new StatsCounters(`spec${Math.random().toString(36).slice(2)}`);
  const at = mongo.serverNow() - agoMs;
  for (let i = 0; i < done + failed; i += 1) {
    counters.started({ company_id, flowId }, at);
    counters.ended({ company_id, flowId }, i < done ? 'DONE' : 'FAIL', ms, at);
  }
  const rows = counters.changed(1_000, at);
  await figures.store(ALL, rows);
  await figures.store(ALL, rows);
}

await count(open, 17, 1, 100);
await count(open, 1, 1, 5_000);
await count(closed, 20, 0, 100);
await count(open, 40, 0, 100, 30 * HOUR_MS);

function sum(series: Json, name: string): number {
  return (series as unknown as Record<string, number>[]).reduce((total, point) => total + (point[name] ?? 0), 0);
}

describe('the figures', () => {
  it('of a company add up what all processes counted in the window, all flows together', async () => {
    const day = (await editor.send('GET', '/api/v1/analytics/overview')).body;
    expect(day).toMatchObject({ success_rate: 38 / 40, running: 0, backlog: 0, oldest_ms: null });
    expect([
      sum(day.series as Json, 'started'),
      sum(day.series as Json, 'done'),
      sum(day.series as Json, 'failed'),
    ]).toEqual([40, 38, 2]);
    expect((day.series as unknown as Json[]).length).toBe(24);
    const week = (await editor.send('GET', '/api/analytics/overview?window=7d')).body;
    expect(sum(week.series as Json, 'done')).toBe(78);
    const hour = (await editor.send('GET', '/api/analytics/overview?window=1h')).body;
    expect((hour.series as unknown as Json[]).length).toBe(60);
    expect(sum(hour.series as Json, 'done')).toBe(38);
  });

  it('of flows tell how many plays ended, failed and how long they took', async () => {
    const { body } = await admin.send('GET', '/api/v1/analytics/flows?window=24h');
    const [first, second] = body.items as unknown as Record<string, number | string>[];
    expect(first).toMatchObject({ flowId: closed, name: 'closed', plays: 20, failed: 0, success_rate: 1 });
    expect(second).toMatchObject({ flowId: open, name: 'open', plays: 20, failed: 2, success_rate: 0.9 });
    expect(second?.p50_ms).toBeGreaterThan(90);
    expect(second?.p50_ms).toBeLessThan(110);
    expect(second?.p95_ms).toBeGreaterThan(4_500);
    expect(second?.p95_ms).toBeLessThan(5_500);
    expect(Date.parse(String(second?.last_play))).toBeGreaterThan(mongo.serverNow() - HOUR_MS);
  });

  it('of a flow show nothing of it to who may not read it', async () => {
    const { body } = await editor.send('GET', '/api/v1/analytics/flows');
    expect((body.items as unknown as Json[]).map(({ name }) => name)).toEqual(['open']);
    expect(body.total).toBe(1);
  });

  it('of a company without plays are all there, and know nothing', async () => {
    const nobody = await person('admin');
    const { body } = await nobody.send('GET', '/api/v1/analytics/overview');
    const { series, ...rest } = body;
    const points = series as unknown as Json[];
    expect(rest).toEqual({
      ...{ success_rate: null, p50_ms: null, p95_ms: null },
      ...{ running: 0, backlog: 0, oldest_ms: null },
    });
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/) as string;
    expect(points).toEqual(points.map(() => ({ at, started: 0, done: 0, failed: 0, cancelled: 0 })));
    const empty = { page: 0, size: 50, total: 0, totalCapped: false, nextCursor: null };
    expect((await nobody.send('GET', '/api/v1/analytics/flows')).body).toEqual({ items: [], ...empty });

    const flowId = await storedFlow(mongo, nobody, {}, { name: 'never run' });
    const { items } = (await nobody.send('GET', '/api/v1/analytics/flows?window=7d')).body;
    expect(items).toEqual([
      {
        ...{ id: flowId, flowId, name: 'never run', plays: 0, failed: 0, cancelled: 0 },
        ...{ success_rate: null, p50_ms: null, p95_ms: null, last_play: null },
      },
    ]);
  });

  it('of one flow say for each hour how its plays ended, and for each layer how often it failed and how long it took', async () => {
    const counters = new LayerCounters('layers');
    const at = mongo.serverNow();
    const layer = (ref: string, state: 'DONE' | 'FAIL' | 'SKIP', ms: number) => ({
      ...{ ref, state, startedAt: new Date(at), completedAt: new Date(at + ms) },
    });
    const flow = { company_id, flowId: open };
    counters.ended(flow, [layer('fetch', 'DONE', 100), layer('push', 'FAIL', 2_000), layer('note', 'SKIP', 0)], at);
    counters.ended(flow, [layer('fetch', 'DONE', 100)], at - 30 * HOUR_MS);
    const rows = counters.changed(100, at);
    await figures.storeLayers(ALL, rows);
    await figures.storeLayers(ALL, rows);
    const { body } = await editor.send('GET', `/api/v1/analytics/flows/${open}`);
    expect(body).toMatchObject({ flowId: open, name: 'open', plays: 20, failed: 2, success_rate: 0.9 });
    const series = body.series as unknown as Json[];
    expect([series.length, sum(body.series as Json, 'done'), sum(body.series as Json, 'failed')]).toEqual([24, 18, 2]);
    expect(series.some(({ p95_ms }) => Number(p95_ms) > 4_500)).toBe(true);
    const [fetch, push, note] = body.layers as unknown as Json[];
    expect(fetch).toMatchObject({ ref: 'fetch', done: 1, failed: 0, total_ms: 100 });
    expect(push).toMatchObject({ ref: 'push', done: 0, failed: 1, total_ms: 2_000 });
    expect(Math.abs(Number(push?.p95_ms) - 2_000)).toBeLessThan(200);
    expect(note).toMatchObject({ skipped: 1, p50_ms: null, total_ms: 0 });
    const week = (await editor.send('GET', `/api/v1/analytics/flows/${open}?window=7d`)).body;
    expect([sum(week.series as Json, 'done'), (week.layers as unknown as Json[]).length]).toEqual([58, 3]);
  });

  it('of one flow are for those who may read it, in its company', async () => {
    const path = `/api/v1/analytics/flows/${closed}`;
    const other = await person('admin');
    const codes = await Promise.all(
      [admin, editor, other].map(async (caller) => (await caller.send('GET', path)).status),
    );
    expect(codes).toEqual([200, 403, 404]);
  });

  it('begin with the window, to the millisecond', async () => {
    const { scope } = await person('admin');
    const window = windowAt('1h', mongo.serverNow());
    const counters = new StatsCounters('edge');
    for (const at of [window.from.getTime() - 1, window.from.getTime()])
      counters.ended({ company_id: scope.companyId, flowId: 'f' }, 'DONE', 1, at);
    await figures.store(ALL, counters.changed(100, mongo.serverNow()));
    const series = await figures.series(scope, window);
    expect([...series].map(([at, { done }]) => [at, done])).toEqual([[window.beginnings[0], 1]]);
    const byFlow = await figures.byFlow(scope, ['f'], window);
    expect(byFlow.get('f')?.done).toBe(1);
  });

  it('are those of the own company only', async () => {
    const other = await person('analytics_viewer');
    const { body } = await other.send('GET', '/api/v1/analytics/overview?window=7d');
    expect(body).toMatchObject({ success_rate: null, p50_ms: null, p95_ms: null });
    expect(sum(body.series as Json, 'started')).toBe(0);
    expect((await other.send('GET', '/api/v1/analytics/flows')).body.items).toEqual([]);
  });

  it('count a play that a caller cancels as cancelled, not as failed, and one that its flow turns away not at all', async () => {
    const mine = await person('admin');
    const flow = await storedFlow(mongo, mine, { a: 'text-template' }, { enabled: true, when: '{{ $prev.args.go }}' });
    const { _id } = await storedPlays(mongo, mine)(flow);
    expect((await mine.send('POST', `/api/v1/plays/${_id}/cancel`)).status).toBe(200);
    const skipped = await mine.send('POST', `/api/v1/flows/${flow}/run`, { body: { args: { go: false } } });
    expect(textOf(skipped.body.state)).toBe('SKIP');
    await app.get(PlayStats).drain();
    const { body } = await mine.send('GET', '/api/v1/analytics/overview?window=1h');
    expect(body).toMatchObject({ success_rate: null, p50_ms: null });
    const counted = ['started', 'failed', 'cancelled'].map((name) => sum(body.series as Json, name));
    expect(counted).toEqual([0, 0, 1]);
    const { items } = (await mine.send('GET', '/api/v1/analytics/flows')).body;
    expect(items).toMatchObject([{ plays: 1, failed: 0, cancelled: 1, success_rate: null }]);
    const listed = (await mine.send('GET', '/api/v1/plays?errorCode=cancelled')).body.items;
    expect(listed).toMatchObject([{ id: _id, state: 'FAIL' }]);
  });

  it('are not given for another window', async () => {
    const answer = await admin.send('GET', '/api/v1/analytics/overview?window=2h');
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
  });
});
