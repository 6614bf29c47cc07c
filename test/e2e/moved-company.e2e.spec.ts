import { Agent, request } from 'undici';
import { expect, it } from 'vitest';
import { waitFor, type ApiClient } from '@weft/testing';
import { sharedFleet, type Fleet } from './harness/fleet.js';
import { neighbourCompany } from './harness/neighbour-company.js';

/** Two installations: each has ids and secrets of its own. */
const [here, there] = [await sharedFleet('standalone'), await sharedFleet()];
const agent = new Agent();

interface Job {
  readonly id: string;
  readonly state: string;
  readonly error: string | null;
  readonly company_id: string;
  readonly file: string | null;
  readonly left_to_give: Readonly<Record<string, readonly string[]>>;
}

async function done(admin: ApiClient, { id }: Job): Promise<Job> {
  const read = () => admin.must<Job>(200, 'GET', `/api/v1/company-jobs/${id}`);
  return waitFor(async () => (await read()).state !== 'running' && read(), {
    what: 'the end of the job',
    withinMs: 120_000,
  });
}

async function upload({ admin }: Fleet, body: Buffer): Promise<{ $ref: string }> {
  const headers = { ...admin.credentials, 'content-type': 'application/gzip' };
  const answer = await request(`${admin.url}/api/v1/payloads`, { method: 'POST', headers, body, dispatcher: agent });
  return { $ref: ((await answer.body.json()) as { $ref: string }).$ref };
}

it('moves a company to another installation: flows call their links and each other there, once the secrets are given', async () => {
  const owner = await neighbourCompany(here);
  const { company_id: id } = await owner.must<{ company_id: string }>(200, 'GET', '/api/v1/auth/me');
  const link = {
    type: 'ledger',
    name: 'Ledger',
    key: 'ledger',
    endpoint: here.ledger.url,
    access_token: 'tok-of-here',
  };
  const { id: linkId } = await owner.must<{ id: string }>(201, 'POST', '/api/v1/integrations', link);
  const call = {
    ref: 'call',
    appId: 'web-request',
    args: { method: 'POST', url: '{{ $prev.args.url }}', auth: { integrationId: linkId } },
  };
  const child = await owner.createFlow({ name: 'child', key: 'child', layers: [call] });
  const layer = { ref: 'run', appId: 'run-flow', args: { flowId: child.id, args: { url: '{{ $prev.args.url }}' } } };
  await owner.createFlow({ name: 'parent', key: 'parent', layers: [layer] });

  // writes go on while it is exported
  let isOver = false;
  const writes = (async () => {
    for (let n = 0; !isOver; n += 1) await owner.send('PUT', `/api/v1/kv/k${n}`, { value: n });
  })();
  const asked = await here.admin.must<Job>(202, 'POST', `/api/v1/companies/${id}/export`);
  const exported = await done(here.admin, asked);
  isOver = true;
  await writes;
  expect(exported).toMatchObject({ state: 'done', error: null });
  const headers = here.admin.credentials;
  const file = await request(`${here.admin.url}${exported.file}`, { headers, dispatcher: agent });
  const bytes = Buffer.from(await file.body.arrayBuffer());

  const { $ref: uploaded } = await upload(there, bytes);
  const order = await there.admin.must<Job>(202, 'POST', '/api/v1/companies/import', { name: 'Moved', file: uploaded });
  const imported = await done(there.admin, order);
  expect(imported).toMatchObject({ state: 'done', error: null, left_to_give: { links: ['Ledger'] } });
  const moved = await there.admin.login(there.login);
  const switched = await moved.send('POST', '/api/v1/auth/switch-company', { company_id: imported.company_id });
  expect(switched.status).toBe(200);
  const cookie = String([switched.headers['set-cookie']].flat()[0]).split(';')[0] ?? '';
  const inMoved = async <T>(status: number, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
    const answer = await there.admin.send<T>(method, `/api/v1/${path}`, body, { cookie });
    expect([answer.status, answer.body]).toEqual([status, expect.anything()]);
    return answer.body;
  };
  const { items } = await inMoved<{ items: { id: string }[] }>(200, 'GET', 'flows?key=parent');
  const run = (wait: number) =>
    inMoved<{ state: string; error: { message: string } | null }>(200, 'POST', `flows/${items[0]?.id}/run`, {
      args: { url: `${there.ledger.url}/moved` },
      wait,
    });
  expect(await run(20_000)).toMatchObject({ state: 'FAIL' });
  const links = await inMoved<{ items: { id: string }[] }>(200, 'GET', 'integrations');
  const given = { access_token: 'tok-of-there', endpoint: there.ledger.url };
  await inMoved(200, 'PATCH', `integrations/${links.items[0]?.id}`, given);
  expect(await run(20_000)).toMatchObject({ state: 'DONE' });
  expect(there.ledger.calls.at(-1)?.headers.authorization).toBe('Bearer tok-of-there');
  await agent.close();
});
