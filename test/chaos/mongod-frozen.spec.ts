import type { Problem } from '@weft/contracts';
import { ApiClient, waitFor } from '@weft/testing';
import { afterAll, expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow } from './harness/effect-flow.js';

const { admin, ledger, mongod, one } = await startCluster({ apps: ['api', 'worker', 'scheduler'] });
const flowId = await effectFlow(admin, ledger.url);
answerEffects(ledger, {});
afterAll(() => mongod.kill('SIGCONT'));

const stranger = new ApiClient(admin.url);
const ROUTES: Readonly<Record<string, () => Promise<{ status: number; body: unknown }>>> = {
  'who calls': () => admin.send('GET', '/api/v1/auth/me'),
  'a sign-in': () => stranger.send('POST', '/api/v1/auth/login', { email: 'a@weft.test', password: 'not this one' }),
  'a read': () => admin.send('GET', `/api/v1/flows/${flowId}`),
  'a list': () => admin.send('GET', '/api/v1/plays?state=RUN'),
  'a run': () => admin.send('POST', `/api/v1/flows/${flowId}/run`, {}),
  'a change': () => admin.send('PATCH', `/api/v1/flows/${flowId}`, { description: 'frozen' }),
  'an event': () => admin.send('POST', '/api/v1/events', { name: 'e' }),
};
/** Each operation has 10 s; the driver alone took a minute. */
const SECONDS = 30;

it('answers every request with 503 within seconds while MongoDB is frozen', async () => {
  await mongod.kill('SIGSTOP');
  const startedMs = performance.now();
  const answers = await Promise.all(
    Object.entries(ROUTES).map(async ([what, ask]) => {
      const { status, body } = await ask();
      return [what, status, (body as Problem).code];
    }),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  await mongod.kill('SIGCONT');
  expect(answers).toEqual(Object.keys(ROUTES).map((what) => [what, 503, 'store_unavailable']));
  expect(seconds).toBeLessThan(SECONDS);
});

it('does its work when MongoDB goes on', async () => {
  const healthy = async () => (await new ApiClient(one('api').url).send('GET', '/health')).status === 200;
  await waitFor(healthy, { what: 'the API to be healthy' });
  const { playId } = await admin.run(flowId, { args: { n: 1 } });
  expect(await admin.waitForPlay(playId, { withinMs: 60_000 })).toMatchObject({ state: 'DONE' });
});
