// Processes of its own: their figures begin at zero, and their cache is small.
import type { FlowView } from '@weft/contracts';
import { ApiClient, waitFor } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';

const { admin, ledger, one, servers } = await startFleet({
  apps: ['standalone'],
  env: { AI_PRICES: 'local-model/*=10:20', CACHE_MAX_SIZE_MB: '1' },
});
const client = await new mongoose.mongo.MongoClient(servers.mongodbUri).connect();
const db = client.db(servers.mongodbDb);
afterAll(() => client.close());

/** The promised metrics of docs/operator-contract.md §2, by hand. */
const SPECIFIED = {
  weft_http_requests_total: ['counter', 'method', 'path', 'status'],
  weft_http_request_duration_seconds: ['histogram', 'method', 'path'],
  weft_auth_attempts_total: ['counter', 'method', 'status'],
  weft_auth_failures_total: ['counter', 'reason'],
  weft_plays_total: ['counter', 'status'],
  weft_play_duration_seconds: ['summary', 'flow_id'],
  weft_layers_executed_total: ['counter', 'module', 'status'],
  weft_mongodb_operations_total: ['counter', 'collection', 'operation'],
  weft_mongodb_operation_duration_seconds: ['histogram', 'collection', 'operation'],
  weft_mongodb_query_duration_seconds: ['summary', 'collection', 'operation'],
  weft_mongodb_slow_queries_total: ['counter', 'collection'],
  weft_mongodb_connections_open: ['gauge'],
  weft_mongodb_connections_idle: ['gauge'],
  weft_mongodb_pool_size_current: ['gauge'],
  weft_scheduler_runs_total: ['counter', 'flow_id', 'status'],
  weft_scheduler_run_duration_seconds: ['summary', 'flow_id'],
  weft_scheduler_next_run_seconds_until: ['gauge', 'flow_id'],
  weft_retention_cleanup_duration_seconds: ['histogram', 'collection', 'status'],
  weft_retention_entries_deleted_total: ['counter', 'collection', 'company_id'],
  weft_retention_policy_evaluation_seconds: ['histogram', 'collection', 'action'],
  weft_audit_cache_refresh_duration_seconds: ['histogram'],
  weft_audit_cache_entries: ['gauge'],
  weft_cache_evictions_total: ['counter', 'cache_type', 'reason'],
  weft_ai_tokens_total: ['counter', 'provider'],
  weft_ai_cost_dollars: ['counter', 'provider'],
  weft_storage_bytes_written: ['counter', 'component'],
  weft_process_memory_bytes: ['gauge'],
} as const;

interface Family {
  readonly type: string;
  readonly labels: ReadonlySet<string>;
  /** Of all its samples, without bounds and quantiles. */
  readonly sum: number;
}

const OF_TYPE: Readonly<Record<string, string>> = { histogram: 'le', summary: 'quantile' };

function familyOf(page: string, name: string): Family {
  const type = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(page)?.[1] ?? 'missing';
  const counted = type === 'histogram' || type === 'summary' ? `${name}_count` : name;
  const labels = new Set<string>();
  let sum = 0;
  for (const [, sample, pairs = '', value] of page.matchAll(/^(weft_\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    if (sample !== counted && sample !== name && sample !== `${name}_bucket`) continue;
    for (const [, label = ''] of pairs.matchAll(/(\w+)="/g)) if (label !== OF_TYPE[type]) labels.add(label);
    if (sample === counted) sum += Number(value);
  }
  return { type, labels, sum };
}

const read = () => fetch(`${one('standalone').url}/metrics`).then((answer) => answer.text());
const unmoved = (page: string) => Object.keys(SPECIFIED).filter((name) => !(familyOf(page, name).sum > 0));

async function flow(layers: readonly object[]): Promise<string> {
  const document = { schema: 'weft.flow/1', name: 'busy', layers };
  const { body } = await admin.send<FlowView>('POST', '/api/v1/flows/import', { document });
  expect((await admin.send('PUT', `/api/v1/flows/${body.id}`, { enabled: true })).status).toBe(200);
  return body.id;
}

/** A model and a large output. */
async function runEverything(): Promise<string> {
  const link = { name: 'model', type: 'local-model', endpoint: `${ledger.url}/v1`, access_token: 'sk' };
  const { body } = await admin.send<{ id: string }>('POST', '/api/v1/integrations', link);
  const messages = [{ role: 'user', content: 'How?' }];
  const flowId = await flow([
    { ref: 'large', appId: 'web-request', args: { url: `${ledger.url}/large` } },
    { ref: 'ask', appId: 'ai-chat', args: { integrationId: body.id, model: 'm', messages } },
  ]);
  await admin.waitForPlay((await admin.run(flowId)).playId);
  return flowId;
}

async function runOnSchedule(flowId: string): Promise<void> {
  const job = { flow_id: flowId, schedule: '0 0 1 1 *' };
  const { body } = await admin.send<{ id: string }>('POST', '/api/v1/scheduler/jobs', job);
  expect((await admin.send('POST', `/api/v1/scheduler/jobs/${body.id}/run`)).status).toBe(202);
}

/** More definitions than the cache holds: each is 120 KB. */
async function fillTheCache(): Promise<void> {
  const layer = (ref: string) => ({ ref, appId: 'text-template', args: { template: ref.repeat(60_000) } });
  const flows = await Promise.all(Array.from({ length: 12 }, () => flow([layer('a'), layer('b')])));
  await Promise.all(flows.map((id) => admin.run(id)));
}

/** Twenty plays that ended a year ago, of which ten are to be kept. */
async function leaveOldPlays(flowId: string): Promise<void> {
  const { playId } = await admin.run(flowId);
  const ended = await admin.waitForPlay(playId);
  const stored = await db.collection<{ _id: string }>('plays').findOne({ _id: playId });
  const completedAt = new Date(Date.parse(ended.createdAt) - 365 * 86_400_000);
  const old = Array.from({ length: 20 }, (_, i) => ({
    ...stored,
    ...{ _id: `0000000000${String(i).padStart(10, '0')}`, completedAt, createdAt: completedAt },
  }));
  await db.collection<{ _id: string }>('plays').insertMany(old);
  const policy = { scope: 'plays', cadence: '1d', min_entries: 10, enforced_minimum: '0', enabled: true };
  expect((await admin.send('POST', '/api/v1/admin/retention-policies', policy)).status).toBe(201);
}

/** The cache of the audit log counts entries of five minutes and more, and has looked at them before this one was there. */
async function leaveOldEntry(): Promise<void> {
  const entries = db.collection<{ _id: string }>('audit_logs');
  await entries.insertOne({ ...(await entries.findOne()), _id: '0'.repeat(20) });
  await db.collection<{ _id: string }>('audit_counts').deleteOne({ _id: 'pass' });
}

/** The last write of a play waits for half a second, because a transaction holds the play. */
async function slowDownAWrite(): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  ledger.answerWith(async ({ path }) => {
    if (path === '/held') {
      arrived.resolve();
      await go.promise;
    }
    return answer(path);
  });
  const { playId } = await admin.run(
    await flow([{ ref: 'held', appId: 'web-request', args: { url: `${ledger.url}/held` } }]),
  );
  await arrived.promise;
  await admin.waitForPlay(playId, { state: 'RUN' });
  await client.withSession(async (session) => {
    session.startTransaction();
    await db
      .collection<{ _id: string }>('plays')
      .updateOne({ _id: playId }, { $set: { held_by_test: 1 } }, { session });
    go.resolve();
    const slow = [
      { $currentOp: { allUsers: true } },
      {
        $match: {
          ns: `${servers.mongodbDb}.plays`,
          op: { $in: ['update', 'command'] },
          microsecs_running: { $gt: 600_000 },
        },
      },
    ];
    const isSlow = async () => (await client.db('admin').aggregate(slow).toArray()).length > 0;
    await waitFor(isSlow, { what: 'a write that waits for the transaction' });
    await session.abortTransaction();
  });
  expect((await admin.waitForPlay(playId)).state).toBe('DONE');
}

function answer(path: string) {
  if (path === '/large') return { body: { text: 'x'.repeat(40_000) } };
  const usage = { prompt_tokens: 100, completion_tokens: 50 };
  return { body: { choices: [{ message: { role: 'assistant', content: 'Well.' } }], usage } };
}

describe('the metrics of a busy system', () => {
  let page: string;
  beforeAll(async () => {
    ledger.answerWith(({ path }) => answer(path));
    await new ApiClient(admin.url).send('POST', '/api/v1/auth/login', { email: 'nobody@weft.test', password: 'x' });
    const flowId = await runEverything();
    await Promise.all([runOnSchedule(flowId), fillTheCache(), leaveOldPlays(flowId), leaveOldEntry()]);
    for (const job of ['retention', 'audit-cache', 'cache-eviction']) {
      expect((await admin.send('POST', `/api/v1/admin/jobs/${job}/run`)).status).toBe(202);
    }
    await slowDownAWrite();
    const allMoved = async () => unmoved((page = await read())).length === 0;
    await waitFor(allMoved, { what: 'every metric to move' }).catch(() => undefined); // the spec below names those that did not
  });

  it('all have a sample that moved', () => {
    expect(unmoved(page)).toEqual([]);
  });

  it.each(Object.entries(SPECIFIED))('show %s with its type and its labels', (name, [type, ...labels]) => {
    const family = familyOf(page, name);
    expect([family.type, [...family.labels].sort()]).toEqual([type, [...labels].sort()]);
  });

  it('show quantiles 0.5, 0.95 and 0.99 of each summary', () => {
    const quantiles = [...page.matchAll(/^weft_play_duration_seconds\{.*quantile="([\d.]+)"/gm)].map(([, q]) => q);
    expect(new Set(quantiles)).toEqual(new Set(['0.5', '0.95', '0.99']));
  });
});
