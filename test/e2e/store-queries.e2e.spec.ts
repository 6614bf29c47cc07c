// Processes of its own: its whole database is profiled.
import { DATA_LEVEL } from '@weft/records';
import { waitFor } from '@weft/testing';
import mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const { admin, ledger, servers } = await startFleet();
ledger.answerWith(({ body }) => ({ body: JSON.parse(body) as object }));

/** What is looked at most rarely, but for retention: every 20 seconds. */
const RAREST = 'external_identities';
const PROFILE_BYTES = 64 * 1024 * 1024;
/** These do not grow with the history: one record per process, migration or company, and what reads them needs them all. */
const FEW = new Set(['health_probes', 'migrations', 'audit_counts', 'companies']);

interface Profiled {
  readonly ns: string;
  readonly planSummary?: string;
  readonly command?: {
    readonly filter?: object;
    readonly pipeline?: unknown;
    readonly query?: object;
    readonly limit?: number;
  };
}

it('asks MongoDB for nothing that reads a whole collection, however long the history', async () => {
  const client = await mongoose.mongo.MongoClient.connect(servers.mongodbUri, { maxPoolSize: 1 });
  const db = client.db(servers.mongodbDb);
  const { id } = await twoLayerFlow(admin, ledger.url);
  // each reads a collection once, and never again
  await waitFor(async () => (await db.collection('migrations').countDocuments({ status: 'done' })) === DATA_LEVEL, {
    what: 'the end of the migrations',
    withinMs: 60_000,
  });
  await db.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
  await db.command({ profile: 2 });
  for (let n = 0; n < 20; n += 1) await admin.run(id, { args: { n }, wait: 5_000 });
  await admin.send('GET', `/api/v1/plays?flowId=${id}&state=DONE`);
  await admin.send('GET', '/api/v1/audit-logs');
  const profile = db.collection<Profiled>('system.profile');
  await waitFor(async () => (await profile.countDocuments({ ns: `${db.databaseName}.${RAREST}` })) > 0, {
    what: 'one look of each kind',
    withinMs: 60_000,
  });
  await db.command({ profile: 0 });
  const asked = await profile.find({ ns: { $ne: `${db.databaseName}.system.profile` } }).toArray();
  await client.close();
  expect(asked.filter(({ ns }) => ns.endsWith('.plays')).length).toBeGreaterThan(50);
  const whole = asked
    .map(({ ns, ...rest }) => ({ ...rest, collection: ns.slice(db.databaseName.length + 1) }))
    .filter(({ collection }) => !FEW.has(collection))
    .filter(({ planSummary = '', command = {} }) => planSummary.includes('COLLSCAN') && command.limit !== 1)
    .map(
      ({ collection, command = {} }) =>
        `${collection} ${JSON.stringify(command.filter ?? command.pipeline ?? command.query ?? null)}`,
    );
  expect([...new Set(whole)]).toEqual([]);
});
