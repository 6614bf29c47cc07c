import { type Mongo } from '@weft/store';
import {
  EXTERNAL_IDENTITIES,
  WEBHOOK_DELIVERIES,
  type DeliveryDocument,
  type ExternalIdentityDocument,
} from '@weft/records';
import { waitFor } from '@weft/testing';
import { newId, textOf, type Person } from '../api/live-api.js';
import { tiedIdentity } from '../fixtures/tied-identity.js';
import { describedOperations, type DescribedOperation, type OpenApi } from './openapi-cells.js';

/** A company that has one of everything, created from the OpenAPI document, so that it includes new nouns automatically. */
export interface Furnished {
  /** Values of fields by name, where an arbitrary text would be invalid. */
  readonly known: Record<string, unknown>;
  /** Ids by where they are made, parameters without their names: `/api/v1/flows/{}/layers`. */
  readonly made: Map<string, string>;
  /** The path with the ids of the company in it. */
  pathOf(operation: Pick<DescribedOperation, 'path'>): string;
}

/** A path without the names of its parameters. */
export const bare = (path: string): string => path.replace(/\{[^}]+\}/g, '{}');

/** What was sent to an endpoint, and a replay of it. */
async function furnishWebhook(mongo: Mongo, ours: Person, webhook_id: string): Promise<void> {
  const [at, name] = [new Date(), newId()];
  const delivery: DeliveryDocument = {
    ...{ _id: `${webhook_id}_${name}_2`, company_id: ours.scope.companyId, webhook_id, event: 'play.done' },
    ...{ playId: name, seq: 2, at, order: 'x', body: '{}', state: 'delivered', attempts: [], tries: 1 },
    ...{ next_attempt: null, expires_at: new Date(at.getTime() + 86_400_000) },
  };
  await mongo.collection<DeliveryDocument>(WEBHOOK_DELIVERIES).insertOne(delivery);
  const body = { since: '2026-11-21T09:00:00Z', until: '2026-11-21T10:00:00Z', only: 'failed' };
  await ours.send('POST', `/api/v1/webhooks/${webhook_id}/replay`, { body });
}

/** A bulk operation that is over, so that it changes nothing any more. */
async function finishedBulk(ours: Person): Promise<string> {
  const { body } = await ours.send('POST', '/api/v1/bulk', { body: { action: 'cancel', ids: [newId()] } });
  const id = textOf(body.id);
  await waitFor(async () => textOf((await ours.send('GET', `/api/v1/bulk/${id}`)).body.state) !== 'running', {
    what: 'the end of a bulk operation',
  });
  return id;
}

/** An API whose document waits for a scheduler. */
async function givenApi(ours: Person): Promise<string> {
  const { body } = await ours.send('POST', '/api/v1/apis', { body: { name: 'ours', source: { document: '{}' } } });
  return textOf(body.id);
}

/** An MCP server whose tools wait for a scheduler. */
async function givenMcpServer(ours: Person): Promise<string> {
  const body = { name: 'ours', url: 'http://127.0.0.1:9/mcp' };
  return textOf((await ours.send('POST', '/api/v1/mcp-servers', { body })).body.id);
}

/** A destination is there as soon as somebody sets its limit. */
async function limitedDestination(ours: Person): Promise<string> {
  const body = { rate_limit: { limit: 5, per: 'second' } };
  const answer = await ours.send('PATCH', '/api/v1/destinations/api.weft.test:443', { body });
  return textOf(answer.body.id);
}

/** Makes one of everything that can be made by POST, and learns the ids of the rest from lists. */
export async function furnished(document: OpenApi, mongo: Mongo, ours: Person): Promise<Furnished> {
  const made = new Map<string, string>();
  const { companyId } = ours.scope;
  const known: Record<string, unknown> = {
    ...{ resource_type: 'flow', grant_type: 'user', grantee_id: ours.userId, permissions: ['read'] },
    ...{ user_id: ours.userId, roles: [{ company_id: companyId, role: 'viewer' }], company_id: companyId },
    ...{ ref: 'only', appId: 'text-template', args: { template: 'x' }, index: 0 },
    access_token: 'token-of-ours',
    verifier: { type: 'none' },
    ...{ schedule: '0 3 * * *', timezone: 'UTC', email: `${newId()}@weft.test`, window: '1h' },
  };
  const pathOf = ({ path }: Pick<DescribedOperation, 'path'>): string => {
    const parts = path.split('/');
    const idAt = (n: number): string => made.get(bare(parts.slice(0, n).join('/'))) ?? 'only';
    return parts.map((part, n) => (part.startsWith('{') ? idAt(n) : part)).join('/');
  };
  const flow = await ours.send('POST', '/api/v1/flows', { body: { name: 'ours' } });
  const flowId = textOf(flow.body.id);
  Object.assign(known, { flow_id: flowId, flowId, resource_id: flowId });
  made.set('/api/v1/flows', flowId);
  const creations = describedOperations(document, known)
    .filter(({ method, creates, path }) => method === 'POST' && creates && path !== '/api/v1/flows')
    .sort((a, b) => a.parameters.length - b.parameters.length);
  for (const creation of creations) {
    const { status, body } = await ours.send('POST', pathOf(creation), { body: creation.body });
    if (status !== 201) continue;
    made.set(bare(creation.path), textOf(body.id));
    if (creation.path.endsWith('/triggers')) made.set('/hooks', await delivered(ours, textOf(body.url)));
  }
  await ours.send('POST', `/api/v1/flows/${flowId}/run`, { body: {} });
  made.set('/api/v1/bulk', await finishedBulk(ours));
  made.set('/api/v1/company-jobs', await orderedExport(ours));
  made.set('/api/v1/destinations', await limitedDestination(ours));
  made.set('/api/v1/apis', await givenApi(ours));
  made.set('/api/v1/mcp-servers', await givenMcpServer(ours));
  await furnishWebhook(mongo, ours, made.get('/api/v1/webhooks') ?? '');
  await mongo.collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES).insertOne(tiedIdentity(ours.userId));
  for (const { method, path } of describedOperations(document, known)) {
    if (method !== 'GET' || made.has(bare(path))) continue;
    const { body } = await ours.send('GET', pathOf({ path }));
    const [first] = [(body as { items?: { id?: string }[] }).items ?? []].flat();
    if (first?.id !== undefined) made.set(bare(path), first.id);
  }
  made.set('/api/v1/access/grants', made.get('/api/v1/access/grant') ?? '');
  made.set('/api/v1/groups/{}/members', ours.userId);
  return { known, made, pathOf };
}

/** No scheduler carries it out. */
async function orderedExport(ours: Person): Promise<string> {
  const path = `/api/v1/companies/${ours.scope.companyId}/export`;
  return textOf((await ours.send('POST', path, { body: {} })).body.id);
}

/** Delivers something to a trigger, and gives the token in its address. */
async function delivered(ours: Person, url: string): Promise<string> {
  const { pathname } = new URL(url);
  await ours.send('POST', pathname, { body: {} });
  return pathname.slice('/hooks/'.length);
}
