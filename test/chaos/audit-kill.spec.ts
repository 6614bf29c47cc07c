// Processes of its own: the API is killed.
import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { FLOWS } from '@weft/records';
import { waitFor } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { startLoad } from './harness/load.js';

const CHANGES = 120;
// on a separate MongoDB: transactions of the killed process stay open in it for a minute, so that collections cannot be dropped
const { admin, add, one, servers, mongod } = await startCluster({ apps: ['api'] });
const client = await mongoose.mongo.MongoClient.connect(mongod.uri, { maxPoolSize: 2 });
afterAll(() => client.close());
const db = client.db(servers.mongodbDb);
const log = db.collection<AuditDocument>(AUDIT_LOGS);

it('leaves no change without its entry and no entry without its change, when the API is killed in the middle of many (I24)', async () => {
  const load = startLoad(CHANGES, 16, async (n) => {
    const answer = await admin.send('POST', '/api/v1/flows', { name: `flow ${n}` });
    expect(answer.status).toBe(201);
  });
  await waitFor(() => load.answered.length > 30, { what: 'changes to be answered' });
  await one('api').kill();
  await load.done;
  expect(load.unanswered.length).toBeGreaterThan(0);

  // a scheduler seals all unsealed entries when it starts
  const [api] = await Promise.all([add('api'), add('scheduler')]);
  const next = admin.at(api.url);
  const made = await db
    .collection<{ _id: string; name: string }>(FLOWS)
    .find({ name: /^flow / })
    .toArray();
  const recorded = await log.find({ action_type: 'flow_created' }).toArray();
  expect(recorded.map(({ resource_id }) => resource_id).sort()).toEqual(made.map(({ _id }) => _id).sort());
  const names = made.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(load.answered.filter(({ index }) => !names.includes(`flow ${index}`))).toEqual([]);

  await waitFor(async () => (await log.countDocuments({ seal: 0, company_id: recorded[0]?.company_id ?? '' })) === 0, {
    what: 'the entries to be sealed',
    withinMs: 60_000,
  });
  const { body } = await next.send('GET', '/api/v1/audit/verify');
  expect(body).toMatchObject({ ok: true, first_bad: null });
});
