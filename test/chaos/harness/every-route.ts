import { ApiClient, type ApiAnswer } from '@weft/testing';
import { Agent } from 'undici';
import type { Fleet } from '../../e2e/harness/fleet.js';
import type { IdentityProviderFixture } from '../../fixtures/identity-provider.js';
import { People } from '../../fixtures/people.js';
import { CONTRACT_ROUTES } from '../../rights/contract-routes.js';
import { describedOperations, type OpenApi } from '../../rights/openapi-cells.js';

/** After this long without an answer, a client gives up. */
export const CLIENT_DEADLINE_MS = 20_000;

/** Null: not answered before the client went. */
export type Told = ApiAnswer<{ readonly code?: string }> | null;

export interface RouteRequest {
  /** Method and path as in the contract. */
  readonly route: string;
  send(): Promise<Told>;
}

export interface RouteTargets {
  readonly flowId: string;
  readonly playId: string;
  /** An id that does not exist in the installation. */
  readonly idp: IdentityProviderFixture;
}

type Fields = Readonly<Record<string, unknown>>;

/** These end the caller's session, or all sessions of its user: each gets a separate user. */
const ENDS_SESSIONS = /\/auth\/(logout|sessions|password|switch-company)/;

/** Of no file that there is; an id of another form is answered without a look. */
const FILE_ID = '0'.repeat(24);

/** Bodies of routes for which the smallest valid body would be refused before any access to a store. */
const BODIES: readonly (readonly [end: RegExp, body: Fields])[] = [
  [/^POST .*\/bulk$/, { action: 'cancel', filter: { state: 'WAIT' } }],
  [/^PATCH .*\/admin\/config$/, { 'logging.level': 'info' }],
  [/^PATCH .*\/destinations\/:id$/, { rate_limit: { limit: 5, per: 'second' } }],
  [/^POST .*\/apis$/, { name: 'Orders', source: { url: 'https://api.weft.test/openapi.json' } }],
  [/^POST .*\/mcp-servers$/, { name: 'Wiki', url: 'https://mcp.weft.test/mcp' }],
  [/^POST .*\/integrations$/, { type: 'smtp', name: 'Mail', access_token: 'token' }],
];

/**
 * A request to every operation of the contract, by an admin and operator, at the first API process: prepared before the fault in
 * a store, to be sent during it.
 */
export async function everyRoute({ admin, servers }: Fleet, targets: RouteTargets): Promise<RouteRequest[]> {
  const me = (await admin.send<{ user: { id: string }; company_id: string }>('GET', '/api/v1/auth/me')).body;
  const agent = new Agent({ connections: 600, headersTimeout: CLIENT_DEADLINE_MS, bodyTimeout: CLIENT_DEADLINE_MS });
  const clientOf = (cookie: string): ApiClient => new ApiClient(admin.url, { cookie }, agent);
  const stays = clientOf(admin.credentials.cookie ?? '');
  const leaves = clientOf(
    await People.in(servers, (people) => people.signedIn(me.company_id, 'admin', { operator: true })),
  );
  const way = await wayToProvider(admin, targets.idp);
  const exported = await admin.send<Fields>('GET', `/api/v1/flows/${targets.flowId}/export`);
  const traveller = clientOf(way.cookie);
  const bodies = await bodiesOf(admin, {
    ...{ resource_type: 'flow', resource_id: targets.flowId, grant_type: 'user', grantee_id: me.user.id },
    ...{ user_id: me.user.id, flow_id: targets.flowId, flowId: targets.flowId, layerIds: [me.user.id] },
    ...{
      ref: 'added',
      appId: 'text-template',
      args: { template: 'x' },
      permissions: ['read'],
      document: exported.body,
    },
    ...{ roles: [{ company_id: me.company_id, role: 'viewer' }], schedule: '0 3 * * *', timezone: 'UTC', window: '1h' },
    ...{ email: 'nobody@weft.test', password: 'not this one, at least', provider: way.providerId },
  });
  const idIn = (path: string): string =>
    path.includes('/plays/') ? targets.playId : path.includes('/flows/') ? targets.flowId : me.user.id;
  // from here on, both are cached for a second: the following requests reach the handlers, not only the guards
  await Promise.all([stays, leaves].map((client) => client.send('GET', '/api/v1/auth/me')));
  const queries: Readonly<Record<string, string>> = {
    '/auth/callback': way.query,
    '/approve': 'token=none',
    '/scheduler/preview': 'schedule=0%203%20*%20*%20*&timezone=UTC',
  };
  return CONTRACT_ROUTES.map(({ method, path }) => {
    const withIds = path
      .replace(':provider', way.providerId)
      .replace('/jobs/:name', '/jobs/retention')
      .replace('/payloads/:id', `/payloads/${FILE_ID}`)
      .replace('/destinations/:id', '/destinations/api.weft.test%3A443')
      .replace(/:(id|flowId)\b/, idIn(path))
      .replace(/:\w+/g, me.user.id);
    const query = Object.entries(queries).find(([end]) => path.endsWith(end))?.[1];
    const client = path === '/auth/callback' ? traveller : ENDS_SESSIONS.test(path) ? leaves : stays;
    const ask = (): Promise<ApiAnswer<{ code?: string }>> =>
      client.send(method, query === undefined ? withIds : `${withIds}?${query}`, bodies(method, path));
    return { route: `${method} ${path}`, send: () => ask().catch(() => null) };
  });
}

/** A browser that returns from a provider: its request and its cookie. */
async function wayToProvider(admin: ApiClient, idp: IdentityProviderFixture) {
  const provider = await admin.send<{ id: string }>('POST', '/api/v1/admin/oauth-providers', {
    ...{ name: 'Example ID', issuer: idp.issuer, client_id: idp.clientId, client_secret: idp.clientSecret },
  });
  const providerId = provider.body.id;
  const begun = await admin.send('GET', `/auth/login/${providerId}`);
  const state = new URL(String(begun.headers.location)).searchParams.get('state') ?? '';
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
  return { providerId, cookie, query: `state=${state}&code=c` };
}

/** Bodies by operation, from the API's own description; `known`: see `describedOperations`. */
async function bodiesOf(admin: ApiClient, known: Fields): Promise<(method: string, path: string) => unknown> {
  const document = (await admin.send<OpenApi>('GET', '/api/openapi.json')).body;
  const bare = (method: string, path: string): string =>
    `${method} ${path.replace(/^\/api\/(?!v1\/)/, '/api/v1/').replace(/:\w+|\{\w+\}/g, '{}')}`;
  const described = new Map(
    describedOperations(document, known).map(({ method, path, body }) => [bare(method, path), body]),
  );
  return (method, path) => {
    const route = bare(method, path);
    return BODIES.find(([end]) => end.test(route))?.[1] ?? described.get(route);
  };
}
