import { expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany } from './harness/neighbour-company.js';

const fleet = await sharedFleet();
const { admin } = fleet;
const neighbour = await neighbourCompany(fleet);

const DELAY_MS = 2_000;

it('of a company that is stopped no play begins, nobody gets in, and all goes on when it is resumed', async () => {
  const { company_id: id } = await neighbour.must<{ company_id: string }>(200, 'GET', '/api/v1/auth/me');
  const client = neighbour.withKey((await neighbour.createApiKey({ scope: 'api,admin' })).token);
  const layer = { ref: 'say', appId: 'text-template', args: { template: 'hello' } };
  const flow = await neighbour.createFlow({ name: 'theirs', layers: [layer] });
  const path = `/api/v1/flows/${flow.id}/triggers`;
  const hook = await neighbour.must<{ url: string }>(201, 'POST', path, { name: 'shop', verifier: { type: 'none' } });
  const deliver = () => client.send<{ code?: string }>('POST', new URL(hook.url).pathname, { n: 1 });
  const ours = await admin.createFlow({ name: 'ours', layers: [layer] });
  const set = (active: boolean) => admin.must(200, 'PATCH', `/api/v1/companies/${id}`, { active });

  const theirs = await client.run(flow.id, { delayMs: DELAY_MS });
  await set(false);
  const later = await admin.run(ours.id, { delayMs: DELAY_MS });
  expect(await client.send('GET', '/api/v1/flows')).toMatchObject({ status: 403, body: { code: 'company_stopped' } });
  expect((await neighbour.send('GET', '/api/v1/flows')).status).toBe(401);
  expect(await deliver()).toMatchObject({ status: 403, body: { code: 'company_stopped' } });
  // of another company, and due after it
  await admin.waitForPlay(later.playId, { state: 'DONE' });

  const resumedAt = new Date().toISOString();
  await set(true);
  const ended = await client.waitForPlay(theirs.playId);
  expect(ended.state).toBe('DONE');
  expect(ended.startedAt?.localeCompare(resumedAt)).toBe(1);
  expect((await deliver()).status).toBe(202);
});
