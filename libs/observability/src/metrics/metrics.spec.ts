import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { metricsPage } from '#tools/docs/metrics-page.mjs';
import { METRICS, METRIC_PREFIX, type MetricRow } from './catalog.js';
import { Metrics } from './metrics.js';

/** The promised metrics of docs/operator-contract.md §2. */
const SPECIFIED: Record<string, readonly [MetricRow['type'], readonly string[]]> = {
  http_requests_total: ['counter', ['method', 'path', 'status']],
  http_request_duration_seconds: ['histogram', ['method', 'path']],
  auth_attempts_total: ['counter', ['method', 'status']],
  auth_failures_total: ['counter', ['reason']],
  plays_total: ['counter', ['status']],
  play_duration_seconds: ['summary', ['flow_id']],
  layers_executed_total: ['counter', ['module', 'status']],
  mongodb_operations_total: ['counter', ['collection', 'operation']],
  mongodb_operation_duration_seconds: ['histogram', ['collection', 'operation']],
  mongodb_query_duration_seconds: ['summary', ['collection', 'operation']],
  mongodb_slow_queries_total: ['counter', ['collection']],
  mongodb_connections_open: ['gauge', []],
  mongodb_connections_idle: ['gauge', []],
  mongodb_pool_size_current: ['gauge', []],
  scheduler_runs_total: ['counter', ['flow_id', 'status']],
  scheduler_run_duration_seconds: ['summary', ['flow_id']],
  scheduler_next_run_seconds_until: ['gauge', ['flow_id']],
  retention_cleanup_duration_seconds: ['histogram', ['collection', 'status']],
  retention_entries_deleted_total: ['counter', ['collection', 'company_id']],
  retention_policy_evaluation_seconds: ['histogram', ['collection', 'action']],
  audit_cache_refresh_duration_seconds: ['histogram', []],
  audit_cache_entries: ['gauge', []],
  cache_evictions_total: ['counter', ['cache_type', 'reason']],
  ai_tokens_total: ['counter', ['provider']],
  ai_cost_dollars: ['counter', ['provider']],
  storage_bytes_written: ['counter', ['component']],
  process_memory_bytes: ['gauge', []],
};

/** Counters whose rows are named by others: routes, modules, collections, error codes, repairs. */
const OPEN = [
  'http_requests_total',
  'auth_failures_total',
  'layers_executed_total',
  'mongodb_operations_total',
  'mongodb_slow_queries_total',
  'runs_refused_total',
  'reconciler_actions_total',
  'live_sockets_closed_total',
];

describe('a page', () => {
  it('spends few rows on what has many labels: a route, an operation on a collection', async () => {
    const metrics = new Metrics();
    const rows = async () =>
      (await metrics.page()).split('\n').filter((line) => /^weft_(http|mongodb_op|mongodb_q)/.test(line));
    metrics.httpRequest('GET', '/api/v1/flows', 200, 0.01);
    expect((await rows()).length).toBeLessThanOrEqual(9);
    metrics.mongoOperation('plays', 'update', 0.01);
    expect((await rows()).length).toBeLessThanOrEqual(9 + 13);
    metrics.close();
  });
});

describe('METRICS', () => {
  it('lists every metric of the contract with its type and its labels', () => {
    const rows: Record<string, MetricRow> = METRICS;
    const listed = Object.keys(SPECIFIED).map((name) => [name, [rows[name]?.type, rows[name]?.labels]]);
    expect(Object.fromEntries(listed)).toEqual(SPECIFIED);
  });
});

describe('docs/reference/metrics.md', () => {
  it('is what the catalogue says: `npm run docs` writes it', () => {
    const page = readFileSync(new URL('../../../../docs/reference/metrics.md', import.meta.url), 'utf8');
    expect(bare(page)).toEqual(bare(metricsPage(METRICS, METRIC_PREFIX)));
  });
});

/** Without the white space that the formatter adds for alignment. */
function bare(markdown: string): string[] {
  return markdown.split('\n').map((line) => line.replace(/ +/g, ' ').replace(/-{3,}/g, '---'));
}

describe('Metrics', () => {
  let metrics: Metrics;
  beforeEach(() => {
    metrics = new Metrics(2);
  });
  afterEach(() => metrics.close());

  it('shows every row, those without a value yet, too', async () => {
    const page = await metrics.page();
    for (const [name, row] of Object.entries<MetricRow>(METRICS))
      expect(page).toContain(`# TYPE weft_${name} ${row.type}`);
  });

  it('shows 0 for each counter of which all labels are known, before anything is counted', async () => {
    const page = await metrics.page();
    const counters = Object.entries<MetricRow>(METRICS).filter(([, { type }]) => type === 'counter');
    const without = counters
      .map(([name]) => name)
      .filter((name) => !new RegExp(`^weft_${name}(\\{.*\\})? 0$`, 'm').test(page));
    expect(without).toEqual(OPEN);
    expect(page).toContain('weft_auth_attempts_total{method="oauth",status="failure"} 0');
    expect(page).toContain('weft_scheduler_runs_total{flow_id="other",status="failure"} 0');
    for (const [, row] of counters)
      for (const label of Object.keys(row.values ?? {})) expect(row.labels).toContain(label);
  });

  it('counts and times requests by route', async () => {
    metrics.httpRequest('POST', '/api/flows/:id/run', 202, 0.004);
    metrics.httpRequest('POST', '/api/flows/:id/run', 202, 0.2);
    const page = await metrics.page();
    const labels = 'method="POST",path="/api/flows/:id/run"';
    expect(page).toContain(`weft_http_requests_total{${labels},status="202"} 2`);
    expect(page).toContain(`weft_http_request_duration_seconds_bucket{${labels},le="0.05"} 1`);
    expect(page).toContain(`weft_http_request_duration_seconds_bucket{${labels},le="+Inf"} 2`);
    expect(page).toContain(`weft_http_request_duration_seconds_count{${labels}} 2`);
  });

  it('keeps flows apart up to its bound', async () => {
    for (const flow of ['f1', 'f2', 'f3']) metrics.playEnded('DONE', flow, 0.5);
    const page = await metrics.page();
    expect(page).toContain('weft_plays_total{status="DONE"} 3');
    expect(page).toContain('weft_play_duration_seconds{flow_id="f3",quantile="0.5"} 0.5');
    expect(page).toContain('weft_play_duration_seconds_count{flow_id="other"} 1');
    expect(page).not.toContain('flow_id="f1"');
  });

  it('counts scheduled runs of the flows used last, and of the others together', async () => {
    for (const flow of ['f1', 'f2', 'f1', 'f3']) metrics.scheduledRunEnded(flow, 'success', 0.5);
    metrics.scheduledRunEnded('f2', 'failure', null);
    const page = await metrics.page();
    const rows = page.split('\n').filter((line) => line.startsWith('weft_scheduler_runs_total{'));
    expect(rows.sort()).toEqual([
      'weft_scheduler_runs_total{flow_id="f2",status="failure"} 1',
      'weft_scheduler_runs_total{flow_id="f3",status="success"} 1',
      'weft_scheduler_runs_total{flow_id="other",status="failure"} 0',
      'weft_scheduler_runs_total{flow_id="other",status="success"} 3',
    ]);
    expect(page).toContain('weft_scheduler_run_duration_seconds{flow_id="f3",quantile="0.5"} 0.5');
  });

  it('counts what retention deleted of the companies used last, and of the others together', async () => {
    const step = { deleted: 5, decidedMs: 100, tookMs: 500 };
    for (const company of ['c1', 'c2', 'c3']) metrics.retentionStep('plays', company, step);
    const page = await metrics.page();
    expect(page).toContain('weft_retention_step_seconds_total{collection="plays"} 1.5');
    expect(page).toContain('weft_retention_entries_deleted_total{collection="plays",company_id="c3"} 5');
    expect(page).toContain('weft_retention_entries_deleted_total{collection="plays",company_id="other"} 5');
    expect(page).not.toContain('company_id="c1"');
  });

  it('counts an operation of 500 ms as slow', async () => {
    metrics.mongoOperation('plays', 'find', 0.499);
    metrics.mongoOperation('plays', 'find', 0.5);
    expect(await metrics.page()).toContain('weft_mongodb_slow_queries_total{collection="plays"} 1');
  });

  it('escapes what a label holds', async () => {
    metrics.authFailure('a"b\nc');
    expect(await metrics.page()).toContain('weft_auth_failures_total{reason="a\\"b\\nc"} 1');
  });

  it('asks for gauges when the page is read', async () => {
    let open = 0;
    metrics.beforeRead(() => metrics.mongoPool((open += 3), 1));
    expect(await metrics.page()).toMatch(/weft_mongodb_connections_idle 2\n/);
    expect(await metrics.page()).toMatch(/weft_mongodb_connections_open 6\n/);
  });

  it('knows its own process', async () => {
    const page = await metrics.page();
    expect(Number(/^weft_process_memory_bytes (\S+)/m.exec(page)?.[1])).toBeGreaterThan(10_000_000);
    expect(page).toMatch(/weft_event_loop_lag_seconds\{percentile="99"\} \S+/);
  });
});
