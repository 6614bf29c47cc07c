/**
 * Every operation of docs/http-api.md §2 to §8 with its last two columns, written down by hand from the contract and never from the code:
 * the matrix specs hold the code against this. A path without `=` answers under `/api/v1` and under `/api`. Operations that are
 * not built yet are here, too, so that they fit on the day they land.
 *
 * Two readings of the contract's words. `E:…` and whatever only the object decides (creator of a thing, "own" plays, approvers,
 * "or a grant") lets every role pass the route; the object's rule is tested where the object is. What a role must have besides
 * (`editor + E:read`) is asked by the route.
 */
export type Who =
  | 'public'
  | 'any'
  | 'viewer'
  | 'executor'
  | 'editor'
  | 'admin'
  | 'audit'
  | 'integ'
  | 'analytics'
  | 'op'
  | 'E:read'
  | 'E:execute'
  | 'E:edit'
  | 'E:delete';

export interface ContractRoute {
  readonly method: string;
  /** As Fastify knows it, from the root; each alias is a route of its own. */
  readonly path: string;
  /** One of them is enough. */
  readonly who: readonly Who[];
  /** Letters of docs/http-api.md §1.9; none for public routes. */
  readonly scopes: readonly string[];
}

type Row = readonly [operation: string, who: string, scopes?: string];

/** Methods with commas; several paths with spaces; then "who" with spaces, and the letters. */
const TABLE: readonly Row[] = [
  // §2 signing in, self, keys
  ['POST /auth/login', 'public'],
  ['POST =/auth/logout /auth/logout', 'public'],
  ['GET /auth/me', 'any', 'A R F P X S'],
  ['POST /auth/switch-company', 'any', 'C'],
  ['GET,DELETE /auth/sessions /auth/sessions/:id', 'any', 'C'],
  ['GET /auth/identities /auth/identities/:id', 'any', 'C'],
  ['DELETE /auth/identities/:id', 'any', 'C'],
  ['POST /auth/password', 'any', 'C'],
  ['POST /auth/password/accept', 'public'],
  ['GET /auth/providers =/auth/login/:provider =/auth/callback', 'public'],
  ['POST /admin/api-keys /auth/api-keys', 'admin', 'S C'],
  ['GET /admin/api-keys /admin/api-keys/:key_id', 'admin', 'A R S C'],
  ['DELETE /admin/api-keys/:key_id', 'admin', 'S C'],

  // §3 users, companies, groups, grants, installation
  ['POST /users', 'admin', 'S C'],
  ['GET /users /users/:id', 'admin audit', 'A R S C'],
  ['PATCH,DELETE /users/:id', 'admin', 'S C'],
  ['POST /users/:id/password-reset', 'admin', 'S C'],
  ['GET /users/:id/activity', 'audit', 'A R C'],
  ['GET /groups /groups/:id', 'admin', 'A R S C'],
  ['POST /groups', 'admin', 'S C'],
  ['PATCH,DELETE /groups/:id', 'admin', 'S C'],
  ['PUT,DELETE /groups/:id/members/:user_id', 'admin', 'S C'],
  ['GET /flow-groups /flow-groups/:id', 'viewer', 'A R F'],
  ['POST /flow-groups', 'editor', 'A F'],
  ['PATCH,DELETE /flow-groups/:id', 'editor', 'A F'],
  ['POST /access/grant', 'any', 'S C'],
  ['GET /access/grants', 'any', 'A R S C'],
  ['DELETE /access/grants/:id', 'any', 'S C'],
  ['POST /companies', 'op', 'S C'],
  ['GET /companies /companies/:id', 'any', 'A R C'],
  ['PATCH /companies/:id', 'admin op', 'S C'],
  ['GET /companies/:id/usage', 'admin op', 'A R S C'],
  ['DELETE /companies/:id', 'op', 'S C'],
  ['POST /companies/:id/export', 'op', 'S C'],
  ['POST /companies/import', 'op', 'S C'],
  ['GET /company-jobs /company-jobs/:id', 'op', 'A R S C'],
  ['GET /admin/oauth-providers /admin/oauth-providers/:id', 'op', 'A R S C'],
  ['POST /admin/oauth-providers', 'op', 'S C'],
  ['PATCH,DELETE /admin/oauth-providers/:id', 'op', 'S C'],
  ['GET /admin/config', 'admin', 'A R S C'],
  ['PATCH /admin/config', 'op', 'S C'],

  // §4 flows and layers
  ['GET /flows', 'any', 'A R F'],
  ['POST /flows', 'editor', 'A F'],
  ['GET /flows/:id', 'E:read', 'A R F'],
  ['PUT,PATCH /flows/:id', 'E:edit', 'A F'],
  ['DELETE /flows/:id', 'E:delete', 'A'],
  ['POST /flows/:id/restore', 'admin', 'A'],
  ['GET /flows/:id/layers /flows/:id/layers/:layerId', 'E:read', 'A R F'],
  ['POST /flows/:id/layers', 'E:edit', 'A F'],
  ['PUT,PATCH,DELETE /flows/:id/layers/:layerId', 'E:edit', 'A F'],
  ['PUT /flows/:id/layers/order', 'E:edit', 'A F'],
  ['POST /flows/:id/run /plays', 'E:execute', 'A P X'],
  ['POST /flows/:id/run-batch', 'E:execute', 'A P X'],
  ['POST /flows/:id/instantiate', 'editor', 'A F'],
  ['GET /flows/:id/blueprint-vars', 'E:read', 'A R F'],
  ['GET /flows/:id/versions /flows/:id/versions/:n /flows/:id/versions/:n/diff', 'E:read', 'A R F'],
  ['POST /flows/:id/versions/:n/restore', 'E:edit', 'A F'],
  ['POST /flows/:id/publish', 'E:edit', 'A F'],
  ['GET /flows/:id/export', 'E:read', 'A R F'],
  ['POST /flows/import', 'editor', 'A F'],
  ['PUT /flows/:id/document', 'E:edit', 'A F'],
  ['PUT /flows/by-key/:key/document', 'editor', 'A F'],
  ['POST /flows/:id/validate', 'E:read', 'A F'],
  ['POST /flows/:id/dry-run', 'E:execute', 'A F'],
  ['POST /flows/:id/layers/try', 'E:edit', 'A F'],
  ['GET /flows/:id/samples /flows/:id/samples/:ref', 'E:read', 'A R F'],
  ['PUT,DELETE /flows/:id/samples/:ref', 'E:edit', 'A F'],
  ['POST /flows/:id/backtest', 'E:edit', 'A F'],
  ['GET /flows/:id/test-cases /flows/:id/test-cases/:caseId', 'E:read', 'A R F'],
  ['POST /flows/:id/test-cases /flows/:id/test-cases/run', 'E:edit', 'A F'],
  ['PATCH,DELETE /flows/:id/test-cases/:caseId', 'E:edit', 'A F'],
  ['GET /flows/:id/triggers /flows/:id/triggers/:tid', 'E:edit', 'A R F W'],
  ['POST /flows/:id/triggers', 'E:edit', 'A F W'],
  ['PATCH,DELETE /flows/:id/triggers/:tid', 'E:edit', 'A F W'],
  ['POST /flows/:id/triggers/:tid/rotate', 'E:edit', 'A F W'],
  ['POST /flows/:id/triggers/:tid/listen', 'E:edit', 'A F W'],
  ['GET /flows/:id/triggers/:tid/deliveries', 'E:edit', 'A R F W'],
  ['POST /flows/:id/triggers/:tid/deliveries/:did/replay', 'E:edit', 'A F W'],
  ['GET,POST,PUT =/hooks/:token', 'public'],
  ['POST =/hooks/plays/:token', 'public'],
  ['POST =/mcp', 'any', 'M'],
  ['GET =/.well-known/oauth-protected-resource/mcp', 'public'],
  ['GET =/oauth/client.json', 'public'],
  ['GET /modules /modules/:appId /modules/:appId/face', 'any', 'A R F'],

  // §5 plays
  ['GET /plays /plays/counts', 'any', 'A R P'],
  ['GET /flows/:flowId/plays', 'E:read', 'A R P'],
  [
    'GET /plays/:id /plays/:id/events /plays/:id/waiting /plays/:id/layers /plays/:id/layers/:ref/out /plays/:id/layers/:ref/items /plays/:id/layers/:ref/input',
    'E:read',
    'A R P X',
  ],
  ['POST /plays/:id/hold /plays/:id/release /plays/:id/cancel /plays/:id/resume', 'E:execute', 'A P'],
  ['POST /plays/:id/approvals/:ref', 'any', 'A P'],
  ['GET /plays/:id/approvals', 'E:read', 'A R P X'],
  ['GET /approvals', 'any', 'A R P'],
  ['GET =/approve', 'public'],
  ['POST /approval-links/read /approval-links/decide', 'public'],
  ['POST /plays/:id/retry /plays/:id/rerun', 'E:execute', 'A P'],
  ['POST /plays/bulk', 'editor', 'A P'],
  ['GET /lanes/:lane', 'viewer', 'A R P'],
  ['POST /lanes/:lane/skip', 'editor', 'A P'],
  ['POST /bulk', 'editor', 'A P'],
  ['GET /bulk /bulk/:id', 'editor', 'A R P'],
  ['POST /bulk/:id/abort', 'editor', 'A P'],
  ['DELETE /plays/:id', 'admin', 'A'],
  ['POST /events', 'executor', 'A P X'],
  ['POST /payloads', 'executor integ', 'A P X'],
  ['GET /payloads/:id', 'E:read', 'A R P X'],
  ['GET /changes', 'any', 'A R P'],
  ['GET /destinations /destinations/:id', 'editor', 'A R'],
  ['PATCH /destinations/:id', 'editor', 'A'],
  ['POST /destinations/:id/pause /destinations/:id/release', 'editor', 'A'],
  ['GET /kv /kv/:key', 'viewer', 'A R'],
  ['PUT,DELETE /kv/:key', 'editor', 'A'],

  // §7 scheduler, retention, audit, figures
  ['GET /scheduler/jobs /scheduler/jobs/:id', 'viewer', 'A R F'],
  ['POST /scheduler/jobs', 'editor', 'A F'],
  ['PATCH,DELETE /scheduler/jobs/:id', 'editor', 'A F'],
  ['POST /scheduler/jobs/:id/run', 'E:execute', 'A F P'],
  ['GET /scheduler/preview', 'viewer', 'A R F'],
  ['GET /admin/retention-policies /admin/retention-policies/:id', 'admin', 'A R S C'],
  ['GET /admin/retention-policies/stats /admin/retention-policies/preview', 'admin', 'A R S C'],
  ['POST /admin/retention-policies /admin/retention-policies/preview', 'admin', 'A S C'],
  ['PATCH,DELETE /admin/retention-policies/:id', 'admin', 'A S C'],
  ['GET /admin/jobs /admin/jobs/:name', 'admin', 'A R S C'],
  ['POST /admin/jobs/:name/run', 'op', 'S C'],
  ['GET /audit /audit/export', 'audit', 'A R'],
  ['GET /audit/verify', 'admin', 'A R'],
  ['GET /analytics/overview /analytics/flows /analytics/flows/:flowId', 'analytics editor', 'A R'],
  ['GET /admin/queue', 'admin', 'A R S C'],
  ['GET /admin/processes', 'op', 'A R S C'],
  ['GET /integrations /integrations/:id', 'admin integ', 'A R'],
  ['POST /integrations /integrations/:id/test', 'integ', 'A'],
  ['POST /integrations/connect', 'integ', 'C'],
  ['PATCH /integrations/:id', 'integ', 'A'],
  ['DELETE /integrations/:id', 'admin', 'A'],
  ['GET /apis /apis/:id', 'editor integ', 'A R F'],
  ['GET /apis/:id/operations /apis/:id/operations/:name', 'editor integ', 'A R F'],
  ['GET /apis/:id/diff', 'editor integ', 'A R F'],
  ['POST /apis/:id/adopt', 'editor integ', 'A F'],
  ['POST /apis /apis/:id/refresh', 'integ', 'A'],
  ['PATCH,DELETE /apis/:id', 'integ', 'A'],
  ['GET /mcp-servers /mcp-servers/:id', 'editor integ', 'A R F'],
  ['GET /mcp-servers/:id/tools /mcp-servers/:id/tools/:name', 'editor integ', 'A R F'],
  ['GET /mcp-servers/:id/diff', 'editor integ', 'A R F'],
  ['POST /mcp-servers/:id/adopt', 'editor integ', 'A F'],
  ['POST /mcp-servers /mcp-servers/:id/refresh /mcp-servers/:id/authorize', 'integ', 'A'],
  ['PATCH,DELETE /mcp-servers/:id', 'integ', 'A'],

  ['GET /webhooks /webhooks/:id', 'admin', 'A R W S'],
  ['POST /webhooks', 'admin', 'A W S'],
  ['PATCH,DELETE /webhooks/:id', 'admin', 'A W S'],
  ['POST /webhooks/:id/rotate /webhooks/:id/test', 'admin', 'A W S'],
  ['GET /webhooks/:id/deliveries', 'admin', 'A R W S'],
  ['POST /webhooks/:id/deliveries/:delivery_id/replay /webhooks/:id/replay', 'admin', 'A W S'],
  ['GET /webhooks/:id/replays /webhooks/:id/replays/:replay_id', 'admin', 'A R W S'],

  // §8 health, metrics, description
  ['GET =/health =/api/health =/health/live =/health/ready =/metrics', 'public'],
  ['GET =/', 'public'],
  ['GET =/api/openapi.json =/api/docs =/api/docs/:file =/assets/:file', 'public'],
];

export const CONTRACT_ROUTES: readonly ContractRoute[] = TABLE.flatMap(routesOf);

function routesOf([operation, who, scopes = '']: Row): ContractRoute[] {
  const [methods = '', ...paths] = operation.split(' ');
  const from = (path: string) => (path.startsWith('=') ? [path.slice(1)] : [`/api/v1${path}`, `/api${path}`]);
  return methods.split(',').flatMap((method) =>
    paths.flatMap(from).map((path) => ({
      method,
      path,
      who: who.split(' ') as Who[],
      scopes: scopes === '' ? [] : scopes.split(' '),
    })),
  );
}

/** The row of a route, whatever its parameters are called; HEAD is answered as GET. */
export function contractRoute(method: string, path: string): ContractRoute | undefined {
  return BY_NAME.get(nameOf(method === 'HEAD' ? 'GET' : method, path));
}

/** The message for a developer who adds a route that the table does not have. */
export function withoutRow(routes: readonly { readonly method: string; readonly path: string }[]): string[] {
  return routes
    .filter(({ method, path }) => !contractRoute(method, path))
    .map(
      ({ method, path }) => `${method} ${path}: no row in test/rights/contract-routes.ts; write who and scopes there`,
    );
}

const nameOf = (method: string, path: string): string => `${method} ${path.replace(/:[A-Za-z_]+/g, ':')}`;
const BY_NAME = new Map(CONTRACT_ROUTES.map((route) => [nameOf(route.method, route.path), route]));
