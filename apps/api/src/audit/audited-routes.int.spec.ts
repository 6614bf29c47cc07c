import type { Role } from '@weft/access';
import type { Play } from '@weft/engine';
import { AUDIT_ACTIONS, AUDIT_LOGS, type AuditDocument } from '@weft/store';
import {
  EXTERNAL_IDENTITIES,
  JobRepository,
  USERS,
  type ExternalIdentityDocument,
  type UserDocument,
} from '@weft/records';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';
import { AUDITED_ELSEWHERE, AUDITED_ROUTES, bareRoute } from '../../../../test/api/audited-routes.js';
import type { Actor } from './actor-entry.js';
import { invalidDocuments } from '../../../../test/api/invalid-documents.js';
import { parkedAt, resultAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { identityProvider } from '../../../../test/fixtures/identity-provider.js';
import { mcpAuthorizationServer } from '../../../../test/fixtures/mcp-authorization-server.js';
import { tiedIdentity } from '../../../../test/fixtures/tied-identity.js';
import { BulkService } from '../bulk/bulk.service.js';
import { allRoutes } from '../http/route-table.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const idp = await identityProvider({ redirectUris: ['https://weft.test/auth/callback'] });
const mcp = await mcpAuthorizationServer();
afterAll(() => (mcp.close(), idp.close()));
const { app, mongo, send, person, signIn } = await liveApi();
const log = mongo.collection<AuditDocument>(AUDIT_LOGS);
const boss = await person('admin');
await mongo.collection<UserDocument>(USERS).updateOne({ _id: boss.userId }, { $set: { operator: true } });
const companyId = boss.scope.companyId;

const SECRET = 'canary-4f1b-do-not-tell';
const PASSWORD = `${SECRET} one`;

/** `POST /flows` → what it was called as, without the prefix. */
const called = new Set<string>();
const wrong: string[] = [];
let seen: string[] = [];

/** Calls an operation and compares what came into the log with the table. */
async function step(
  route: string,
  ids: readonly string[],
  body?: unknown,
  by: Pick<Person, 'send'> = boss,
): Promise<Answer> {
  called.add(bareRoute(route));
  const [method = '', template = ''] = route.split(' ');
  const rest = [...ids];
  const path = `/api/v1${template.replace(/:\w+/g, () => rest.shift() ?? '')}`;
  const answer = await by.send(method, path, { body });
  const entries = await log.find({ _id: { $nin: seen } }).toArray();
  seen = [...seen, ...entries.map(({ _id }) => _id)];
  const expected = AUDITED_ROUTES.get(bareRoute(route));
  const actions = new Set(entries.map(({ action_type }) => action_type));
  const missing =
    expected && !('none' in expected) ? expected.filter((action) => !actions.has(action)) : [`no row for ${route}`];
  if (answer.status >= 300) wrong.push(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
  if (missing.length > 0)
    wrong.push(`${route}: ${missing.join()} is not recorded, but ${[...actions].join() || 'nothing'}`);
  for (const entry of entries) {
    if (!entry.UserID || !entry.UserEmail || !entry.UserIPAddress || !entry.request_id || !entry.company_id) {
      wrong.push(`${route}: ${entry.action_type} does not say who, from where, or in which request`);
    }
    if (JSON.stringify(entry).includes(SECRET)) wrong.push(`${route}: ${entry.action_type} tells a secret`);
  }
  return answer;
}

const make = async (...args: Parameters<typeof step>): Promise<string> => textOf((await step(...args)).body.id);
const as = (cookie: string): Pick<Person, 'send'> => ({
  send: (method, path, options) => send(method, path, { ...options, headers: { cookie } }),
});

async function walkPeople(): Promise<void> {
  const email = `${boss.userId}-made@weft.test`;
  const roles = (role: Role) => [{ company_id: companyId, role }];
  const made = await step('POST /users', [], { email, roles: roles('viewer') });
  const user = textOf(made.body.id);
  const token = textOf(made.body.invite_url).split('token=')[1];
  await step('POST /auth/password/accept', [], { token, password: PASSWORD }, { send });
  await step('PATCH /users/:id', [user], { name: 'Ada', roles: roles('flow_editor') });
  const signedIn = await step('POST /auth/login', [], { email, password: PASSWORD }, { send });
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  await step('POST /auth/password', [], { current_password: PASSWORD, new_password: `${SECRET} two` }, as(cookie));
  await step('POST /auth/logout', [], undefined, as(cookie));
  await step('POST /users/:id/password-reset', [user]);

  const own = await boss.send('GET', '/api/v1/auth/sessions');
  const more = await signIn(boss.userId, companyId);
  const known = JSON.stringify(own.body.items);
  const sessions = (await boss.send('GET', '/api/v1/auth/sessions')).body.items as unknown as { id: string }[];
  await step('DELETE /auth/sessions/:id', [sessions.find(({ id }) => !known.includes(id))?.id ?? '']);
  expect((await as(more).send('GET', '/api/v1/auth/me')).status).toBe(401);
  const tied = [tiedIdentity(boss.userId), tiedIdentity(boss.userId)];
  await mongo.collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES).insertMany(tied);
  await step('DELETE /auth/identities/:id', [tied[0]?._id ?? '']);

  const group = await make('POST /groups', [], { name: 'g' });
  await step('PATCH /groups/:id', [group], { name: 'h' });
  await step('PUT /groups/:id/members/:user_id', [group, user]);
  await step('DELETE /groups/:id/members/:user_id', [group, user]);
  await step('DELETE /groups/:id', [group]);
  await step('DELETE /users/:id', [user]);
  for (const route of ['POST /auth/api-keys', 'POST /admin/api-keys']) {
    const key = await make(route, [], { name: 'k' });
    if (route === 'POST /admin/api-keys') await step('DELETE /admin/api-keys/:key_id', [key]);
  }
}

async function walkInstallation(): Promise<void> {
  const company = await make('POST /companies', [], { name: 'Second' });
  await step('PATCH /companies/:id', [companyId], { name: 'First' });
  await step('POST /companies/:id/export', [company]);
  const file = await boss.send('POST', '/api/v1/payloads', { body: {} });
  await step('POST /companies/import', [], { name: 'Copy', file: file.body.$ref });
  const third = await make('POST /companies', [], { name: 'Third' });
  await step('DELETE /companies/:id', [third], { confirm: 'Third' });
  const mover = as(await signIn(boss.userId, companyId));
  await step('POST /auth/switch-company', [], { company_id: company }, mover);
  const provider = await make('POST /admin/oauth-providers', [], {
    ...{ name: 'ID', issuer: idp.issuer, client_id: idp.clientId, client_secret: SECRET },
  });
  await step('PATCH /admin/oauth-providers/:id', [provider], { name: 'Other ID' });
  await step('DELETE /admin/oauth-providers/:id', [provider]);
  await step('PATCH /admin/config', [], { 'session.ttl_hours': 9 });
  await new JobRepository(mongo).declare('retention', 60_000);
  await step('POST /admin/jobs/:name/run', ['retention']);
  const policy = await make('POST /admin/retention-policies', [], { scope: 'plays', cadence: '30d' });
  await step('PATCH /admin/retention-policies/:id', [policy], { enabled: false });
  await step('DELETE /admin/retention-policies/:id', [policy]);
  const link = await make('POST /integrations', [], { type: 'slack', name: 'l', access_token: SECRET });
  await step('PATCH /integrations/:id', [link], { name: 'm' });
  await step('DELETE /integrations/:id', [link]);
  const api = await make('POST /apis', [], { name: 'a', source: { document: '{}' } });
  await step('PATCH /apis/:id', [api], { name: 'b' });
  await step('POST /apis/:id/refresh', [api], {});
  await step('DELETE /apis/:id', [api]);
  const server = await make('POST /mcp-servers', [], { name: 's', url: `${mcp.base}/mcp` });
  await step('PATCH /mcp-servers/:id', [server], { name: 't' });
  await step('POST /mcp-servers/:id/refresh', [server], {});
  await step('POST /mcp-servers/:id/authorize', [server], { client_id: 'c', client_secret: SECRET });
  await step('DELETE /mcp-servers/:id', [server]);
}

async function walkWebhooks(): Promise<void> {
  const url = `http://127.0.0.1:9/?key=${SECRET}`; // nobody listens there
  const webhook = await make('POST /webhooks', [], { name: 'w', url, events: ['play.done'], enabled: false });
  await step('PATCH /webhooks/:id', [webhook], { url: `${url}-2` });
  await step('POST /webhooks/:id/rotate', [webhook]);
  const delivery = textOf((await boss.send('POST', `/api/v1/webhooks/${webhook}/test`)).body.id);
  await step('POST /webhooks/:id/deliveries/:delivery_id/replay', [webhook, delivery]);
  const time = { since: '2026-11-21T09:00:00Z', until: '2026-11-21T10:00:00Z' };
  await step('POST /webhooks/:id/replay', [webhook], { ...time, only: 'failed' });
  await step('DELETE /webhooks/:id', [webhook]);
}

async function walkFlows(): Promise<string> {
  const flow = await make('POST /flows', [], { name: 'f' });
  await step('PUT /flows/:id', [flow], { name: 'g' });
  await step('PATCH /flows/:id', [flow], { name: 'h' });
  const headers = { Authorization: SECRET };
  const layer = (ref: string, args: object) => ({
    name: ref,
    ref,
    appId: 'web-request',
    args: { url: 'https://weft.test', headers, ...args },
  });
  const one = await make('POST /flows/:id/layers', [flow], layer('one', {}));
  const two = await make('POST /flows/:id/layers', [flow], layer('two', {}));
  await step('PUT /flows/:id/layers/:layerId', [flow, one], { args: { url: 'https://other.weft.test', headers } });
  await step('PATCH /flows/:id/layers/:layerId', [flow, one], { name: 'first' });
  await step('PUT /flows/:id/layers/order', [flow], { layerIds: [two, one] });
  await step('DELETE /flows/:id/layers/:layerId', [flow, two]);
  const testCase = await make('POST /flows/:id/test-cases', [flow], { name: 'c' });
  await step('PATCH /flows/:id/test-cases/:caseId', [flow, testCase], { name: 'd' });
  await step('DELETE /flows/:id/test-cases/:caseId', [flow, testCase]);
  await step('PUT /flows/:id/samples/:ref', [flow, 'one'], { out: { token: SECRET } });
  await step('DELETE /flows/:id/samples/:ref', [flow, 'one']);
  await step('POST /flows/:id/versions/:n/restore', [flow, '1']);
  await step('PATCH /flows/:id', [flow], { settings: { publish: 'manual' }, description: 'a draft' });
  await step('POST /flows/:id/publish', [flow]);
  const { body: document } = await boss.send('GET', `/api/v1/flows/${flow}/export`);
  await step('POST /flows/import', [], { document });
  await step('PATCH /destinations/:id', ['api.weft.test:443'], { rate_limit: { limit: 5, per: 'second' } });
  await step('POST /destinations/:id/pause', ['api.weft.test:443']);
  await step('POST /destinations/:id/release', ['api.weft.test:443']);
  await step('PUT /flows/:id/document', [flow], { ...document, name: 'as the document says' });
  await step('PUT /flows/by-key/:key/document', ['audited'], document);
  const blueprint = textOf(
    (await boss.send('POST', '/api/v1/flows', { body: { name: 'b', isBlueprint: true } })).body.id,
  );
  seen = [...seen, ...(await log.distinct('_id'))];
  await step('POST /flows/:id/instantiate', [blueprint], { name: 'i' });
  const schedule = await make('POST /scheduler/jobs', [], { flow_id: flow, schedule: '0 3 * * *' });
  await step('PATCH /scheduler/jobs/:id', [schedule], { enabled: false });
  await step('DELETE /scheduler/jobs/:id', [schedule]);
  const verifier = { type: 'github', secrets: [SECRET] };
  const trigger = await make('POST /flows/:id/triggers', [flow], { name: 't', verifier });
  const changed = { verifier: { type: 'bearer', token: SECRET }, args: { password: SECRET } };
  await step('PATCH /flows/:id/triggers/:tid', [flow, trigger], changed);
  await step('POST /flows/:id/triggers/:tid/rotate', [flow, trigger]);
  await step('POST /flows/:id/triggers/:tid/listen', [flow, trigger]);
  await step('DELETE /flows/:id/triggers/:tid', [flow, trigger]);
  await step('DELETE /flows/:id', [flow]);
  await step('POST /flows/:id/restore', [flow]);
  await step('PUT /kv/:key', ['counter'], { value: { note: SECRET } });
  await step('DELETE /kv/:key', ['counter']);
  const group = await make('POST /flow-groups', [], { name: 'g' });
  await step('PATCH /flow-groups/:id', [group], { name: 'h' });
  await step('DELETE /flow-groups/:id', [group]);
  const other = await person('viewer', companyId);
  seen = [...seen, ...(await log.distinct('_id'))];
  const on = { resource_type: 'flow', resource_id: flow, grant_type: 'user', grantee_id: other.userId };
  const grant = await make('POST /access/grant', [], { ...on, permissions: ['read'] });
  await step('DELETE /access/grants/:id', [grant]);
  return flow;
}

async function walkPlays(): Promise<void> {
  const flowId = await storedFlow(mongo, boss, { wait: 'wait-event', ok: 'approval' });
  const store = storedPlays(mongo, boss);
  const asks = (): Partial<Play> => ({
    ...{ layers: [resultAt(0, 'wait')], cursor: 1 },
    ...parkedAt({
      ...{ position: 1, ref: 'ok', kind: 'approval' },
      approval: { message: 'May it?', approvers: [boss.userId], onTimeout: 'fail' },
    }),
  });
  const [held, waiting, asking, linked, bulk] = [
    await store(flowId),
    await store(flowId, parkedAt({ position: 0, ref: 'wait', kind: 'event', event: { name: 'paid', key: null } })),
    await store(flowId, asks()),
    await store(flowId, asks()),
    await store(flowId),
  ];
  seen = [...seen, ...(await log.distinct('_id'))];
  await step('POST /plays/:id/hold', [held._id]);
  await step('POST /plays/:id/release', [held._id]);
  await step('POST /plays/:id/cancel', [held._id]);
  await step('POST /plays/:id/resume', [waiting._id], { ref: 'wait', payload: { note: SECRET } });
  await step('POST /plays/:id/approvals/:ref', [asking._id, 'ok'], { decision: 'approve' });
  const { items } = (await boss.send('GET', `/api/v1/plays/${linked._id}/approvals`)).body;
  const token = textOf(items?.[0]?.approveUrl).split('#')[1];
  await step('POST /approval-links/decide', [], { token, decision: 'reject', comment: 'no' });
  await store(flowId, { lane: 'audited', turns: ['lane:audited#0'] });
  await step('POST /lanes/:lane/skip', ['audited']);
  await step('POST /plays/bulk', [], { action: 'cancel', ids: [bulk._id] });
  await step('POST /bulk', [], { action: 'retry', ids: [bulk._id] });
  // of a kind that nobody carries out, so that it still runs
  const order = { kind: 'spec', action: 'none', matched: 0, target: {}, ratePerSecond: null };
  const actor = { caller: { ...boss, companyId }, origin: { address: '', userAgent: '', requestId: '' } };
  const { id } = await app.get(BulkService, { strict: false }).start(actor as unknown as Actor, order);
  seen.push(...(await log.find({ action_type: 'bulk_started' }).toArray()).map(({ _id }) => _id));
  await step('POST /bulk/:id/abort', [id]);
  await step('DELETE /plays/:id', [bulk._id]);
}

/** Every operation that is not GET, as the table has it. */
const changing = [
  ...new Set(
    allRoutes(app.getHttpAdapter().getInstance())
      .filter(({ method, url }) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) && url.startsWith('/api/v1/'))
      .map(({ method, url }) => bareRoute(`${method} ${url.replace('/api/v1', '')}`)),
  ),
];

describe('a change', () => {
  it('of every route is recorded once it is made: who, from where, in which request, and no secret', async () => {
    seen = await log.distinct('_id');
    await walkPeople();
    await walkInstallation();
    await walkFlows();
    await walkWebhooks();
    await walkPlays();
    await step('DELETE /auth/sessions', [], undefined, as(await signIn(boss.userId, companyId)));
    expect(wrong).toEqual([]);
    const recording = changing.filter((route) => !('none' in (AUDITED_ROUTES.get(route) ?? [])));
    // a new route: give it a row in test/api/audited-routes.ts, and a step above when it records something
    expect(recording.filter((route) => !called.has(route))).toEqual([]);
  });

  it('stores documents as the schemas of their collections describe them', async () => {
    expect(await invalidDocuments(mongo)).toEqual([]);
  });

  it('has its row, as every other operation that is not GET', () => {
    expect(changing.filter((route) => !AUDITED_ROUTES.has(route))).toEqual([]);
    expect([...AUDITED_ROUTES.keys()].filter((route) => !changing.includes(route))).toEqual([]);
  });

  it('that fails at the door is recorded, too', async () => {
    const email = `${boss.userId}@weft.test`;
    const login = await send('POST', '/api/v1/auth/login', { body: { email, password: `${SECRET} wrong` } });
    const body = { current_password: `${SECRET} wrong`, new_password: `${SECRET} four` };
    const change = await as(await signIn(boss.userId, companyId)).send('POST', '/api/v1/auth/password', { body });
    expect([login.status, change.status]).toEqual([401, 401]);
    const failed = await log.find({ action_type: 'login_failed', UserID: boss.userId }).toArray();
    expect(failed.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['failure', 'invalid_password'],
      ['failure', 'invalid_password'],
    ]);
    expect(JSON.stringify(failed)).not.toContain(SECRET);
  });
});

describe('the catalogue', () => {
  it('has no action that nothing records', () => {
    const byRoutes = new Set<string>([...AUDITED_ROUTES.values()].flatMap((row) => ('none' in row ? [] : row)));
    const unseen = AUDIT_ACTIONS.filter((action) => !byRoutes.has(action)).filter((action) => {
      const file = AUDITED_ELSEWHERE[action];
      return file === undefined || !readFileSync(ROOT + file, 'utf8').includes(action);
    });
    expect(unseen).toEqual([]);
  });
});
