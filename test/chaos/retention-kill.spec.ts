// Processes of its own: a scheduler is killed while it cleans.
import type { JobView } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { AUDIT_LOGS, Mongo, PLAYS, TenantScope, type AuditDocument } from '@weft/store';
import { LEASES, type LeaseDocument } from '@weft/records';
import { waitFor } from '@weft/testing';
import { afterAll, expect, it } from 'vitest';
import { playFixtures } from '../fixtures/old-plays.js';
import { startCluster } from './harness/cluster.js';

const DAY = 86_400_000;
const OLD = 4_000;
const cluster = await startCluster({ apps: ['api', 'scheduler'], env: { RETENTION_CLEANUP_INTERVAL: '1d' } });
const { admin, add, one } = cluster;
const mongo = await Mongo.open({ uri: cluster.mongod.uri, db: cluster.servers.mongodbDb, appName: 'chaos' });
afterAll(() => mongo.close());
const plays = mongo.collection<Play>(PLAYS);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);
const OF_PLAYS = { action_type: 'retention_cleanup_run', collection: 'plays' } as const;
const JOB = '/api/v1/admin/jobs/retention';

it('deletes what is due and nothing else, and counts it once, when a scheduler is killed while it cleans', async () => {
  const company_id = String((await admin.createFlow({ name: 'Old' })).company_id);
  const made = playFixtures(mongo, new TenantScope(company_id), mongo.serverNow());
  const open = await made.plays(20, { ageMs: 60 * DAY, state: 'WAIT' });
  await made.plays(OLD, { ageMs: 50 * DAY });
  const stays = [...open, ...(await made.plays(40, { ageMs: DAY }))];
  const policy = { scope: 'plays', cadence: '7d', min_entries: 0, enforced_minimum: '0', enabled: true };
  await admin.send('POST', '/api/v1/admin/retention-policies', policy);
  await waitFor(async () => (await job()).status === 'ok', { what: 'the first run, before anything was old' });

  await admin.send('POST', `${JOB}/run`);
  await waitFor(async () => (await plays.countDocuments()) < OLD - 400, { what: 'the first batches of a cleanup' });
  await one('scheduler').kill();
  expect(await plays.countDocuments()).toBeGreaterThan(stays.length);
  expect(await audit.countDocuments({ ...OF_PLAYS, company_id })).toBe(1);
  // what its lease would do in half a minute
  await mongo.collection<LeaseDocument>(LEASES).updateOne({ _id: 'job:retention' }, { $set: { until: new Date(0) } });
  await Promise.all([add('scheduler'), add('scheduler')]);
  await waitFor(async () => (await job()).status === 'ok', { what: 'the end of the cleanup', withinMs: 60_000 });

  const left = await plays.find({}, { projection: { _id: 1 } }).toArray();
  expect(left.map(({ _id }) => _id).sort()).toEqual(stays.sort());
  const told = await audit.find({ ...OF_PLAYS, company_id }).toArray();
  expect(told.reduce((sum, entry) => sum + (entry.entries_deleted ?? 0), 0)).toBe(OLD);
});

async function job(): Promise<JobView> {
  return (await admin.send<JobView>('GET', JOB)).body;
}
