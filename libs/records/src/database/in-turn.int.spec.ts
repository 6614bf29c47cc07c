import { liveMongo } from '@weft/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FLOWS } from '../flows/flow.schema.js';
import { BulkRepository } from '../operations/bulk.repository.js';
import { COMPANIES } from '../people/company.schema.js';
import { RetentionPolicyRepository } from '../retention/retention-policy.repository.js';
import { ScheduleRepository } from '../schedules/schedule.repository.js';
import { TenantScope, Mongo } from '@weft/store';
import { TriggerRepository } from '../triggers/trigger.repository.js';
import { WebhookReplaysRepository } from '../webhooks/webhook-replays.repository.js';
import { WebhookRepository } from '../webhooks/webhook.repository.js';
import { ensureIndexes, COLLECTIONS } from './collections.js';

const live = liveMongo();
const scope = new TenantScope('company');
const [LIMIT, AT_ONCE] = [2, 5];
let mongo: Mongo;
let other: Mongo;

beforeAll(async () => {
  const open = () => Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  [mongo, other] = await Promise.all([open(), open()]);
  await ensureIndexes(
    mongo,
    COLLECTIONS.filter(({ name }) => name === 'audit_logs'),
  );
  await mongo.collection<{ _id: string }>(COMPANIES).insertOne({ _id: scope.companyId });
  await mongo.collection<{ _id: string; company_id: string }>(FLOWS).insertOne({ _id: 'flow', company_id: 'company' });
});
afterAll(() => Promise.all([mongo.close(), other.close()]));

const entry = { action_type: 'config_changed', collection: 'spec', company_id: scope.companyId } as const;
const made = (n: number) => ({ _id: `${n}`, company_id: scope.companyId, flow_id: 'flow', flowId: 'flow' });
const trigger = (n: number) => ({ ...made(n), token_hash: `${n}` });
const running = (n: number) => ({ ...made(n), state: 'running' });

/** As Mongo, but no transaction goes on before all of them have begun to read: each sees nothing of the others. */
function together(by: Mongo, all: { readonly begun: () => Promise<void> }): Mongo {
  const transaction: Mongo['transaction'] = (work) => {
    let attempts = 0;
    return by.transaction(async (session) => {
      await by.collection(COMPANIES).findOne({}, { session });
      if ((attempts += 1) === 1) await all.begun();
      return work(session);
    });
  };
  return new Proxy(by, {
    get: (target, name) => (name === 'transaction' ? transaction : (Reflect.get(target, name, target) as unknown)),
  });
}

function barrier(count: number): { readonly begun: () => Promise<void> } {
  const open = Promise.withResolvers<void>();
  let waiting = 0;
  return {
    begun: () => {
      if ((waiting += 1) >= count) open.resolve();
      return open.promise;
    },
  };
}

it.each<[string, (by: Mongo, n: number) => Promise<unknown>]>([
  ['triggers of a flow', (by, n) => new TriggerRepository(by).insert(scope, trigger(n) as never, LIMIT, entry)],
  ['webhooks', (by, n) => new WebhookRepository(by).insert(scope, made(n) as never, LIMIT, entry)],
  ['schedules', (by, n) => new ScheduleRepository(by).insert(scope, made(n) as never, LIMIT, entry)],
  ['retention policies', (by, n) => new RetentionPolicyRepository(by).insert(scope, made(n) as never, LIMIT, entry)],
  ['replays of webhooks', (by, n) => new WebhookReplaysRepository(by).insert(scope, running(n) as never, LIMIT, entry)],
  ['bulk operations', (by, n) => new BulkRepository(by).start(scope, made(n) as never, LIMIT, entry)],
])('a company has no more %s than it may, also when processes make some at once', async (_what, make) => {
  const all = barrier(AT_ONCE);
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_one, n) => make(together(n % 2 ? mongo : other, all), n)),
  );
  expect(answers.filter(Boolean)).toHaveLength(LIMIT);
  expect(await make(mongo, AT_ONCE)).toBeFalsy();
});
