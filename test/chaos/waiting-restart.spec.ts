// Processes of its own: everything is restarted.
import type { PlayLayerView } from '@weft/contracts';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';

const PROCESSES = ['api', 'worker', 'scheduler'] as const;
const cluster = await startCluster({ apps: PROCESSES, persistentRedis: false });
const { admin, ledger, mongod, redis, of, one } = cluster;

/** Everything ends at once, as in a power failure: only what MongoDB has written remains. */
async function restartEverything(): Promise<void> {
  await Promise.all(PROCESSES.flatMap((app) => of(app).map((process) => process.kill())));
  await Promise.all([mongod.kill(), redis.kill()]);
  await Promise.all([mongod.start(), redis.start()]);
  const connection = new Redis(redis.uri);
  await connection.flushall();
  await connection.quit();
  await Promise.all(PROCESSES.map((app) => cluster.add(app, { port: one(app).port })));
}

async function flowWith(name: string, appId: string, args: object): Promise<string> {
  const flow = await admin.createFlow({ name });
  await admin.addLayer(flow.id, { ref: 'before', appId: 'web-request', args: { url: `${ledger.url}/before` } });
  await admin.addLayer(flow.id, { ref: 'wait', appId, args: { ...args } });
  await admin.addLayer(flow.id, { ref: 'after', appId: 'text-template', args: { template: AFTER[appId] ?? '' } });
  return flow.id;
}

const AFTER: Readonly<Record<string, string>> = {
  approval: '{{ .wait.decision }}: {{ .wait.comment }}',
  'wait-event': 'paid {{ .wait.payload.sum }}',
};

it('keeps plays that wait for an approval or an event through a restart of everything, and lets them go on', async () => {
  const approval = await flowWith('Approve', 'approval', { message: 'May it?' });
  const payment = await flowWith('Be paid', 'wait-event', { name: 'paid', key: '{{ $prev.args.order }}' });
  const [asked, paid, unpaid] = await Promise.all([
    admin.run(approval, { args: {} }),
    admin.run(payment, { args: { order: 'o-1' } }),
    admin.run(payment, { args: { order: 'o-2' } }),
  ]);
  for (const { playId } of [asked, paid, unpaid]) await admin.waitForPlay(playId, { state: 'WAIT' });
  const waiting = (await admin.layers(asked.playId))[1];
  expect(waiting).toMatchObject({ ref: 'wait', state: 'WAIT', completedAt: null });

  await restartEverything();
  const still = (await admin.layers(asked.playId))[1];
  expect(still).toEqual(waiting);

  const decision = { decision: 'approve', comment: 'go' };
  const decided = await admin.send('POST', `/api/v1/plays/${asked.playId}/approvals/wait`, decision);
  expect(decided).toMatchObject({ status: 200 });
  const told = await admin.send('POST', '/api/v1/events', { name: 'paid', key: 'o-1', payload: { sum: 7 } });
  expect(told).toMatchObject({ status: 202, body: { matched: 1 } });

  const outOf = async (playId: string): Promise<unknown> => {
    expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
    return (await admin.layers(playId)).map(({ state, out }: PlayLayerView) => [state, out])[2];
  };
  expect(await outOf(asked.playId)).toEqual(['DONE', { text: 'approve: go' }]);
  expect(await outOf(paid.playId)).toEqual(['DONE', { text: 'paid 7' }]);
  expect((await admin.play(unpaid.playId)).state).toBe('WAIT');
  // what was done before the restart was not done again
  expect(ledger.callsTo('/before')).toHaveLength(3);

  // a resume call ends the wait as an event would
  await admin.send('POST', `/api/v1/plays/${unpaid.playId}/resume`, { ref: 'wait', payload: { sum: 9 } });
  expect(await outOf(unpaid.playId)).toEqual(['DONE', { text: 'paid 9' }]);
});
