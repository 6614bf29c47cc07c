import { describe, expect, it } from 'vitest';
import { operationsOf, type OpenApiDocument, type Place } from '../../../../../test/api/described-operations.js';
import { liveApi } from '../../../../../test/api/live-api.js';
import { contractRoute, type ContractRoute } from '../../../../../test/rights/contract-routes.js';
import { ALL_ROLES, ALL_SCOPES, expectedRefusal } from '../../../../../test/rights/expected-rights.js';

const { send } = await liveApi();
const document = (await send('GET', '/api/openapi.json')).body as unknown as OpenApiDocument;

interface Rights {
  readonly 'x-roles'?: readonly string[];
  readonly 'x-operator'?: boolean;
  readonly 'x-right'?: string;
}

/** What the document says about an operation, and what the contract's own table says. */
const rows = operationsOf(document).map((place) => ({
  ...place,
  name: `${place.method} ${place.path}`,
  rights: place.operation as Rights,
  route: rowOf(place),
}));

function rowOf({ method, path }: Place): ContractRoute {
  const route = contractRoute(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'));
  if (!route) throw new Error(`${method} ${path} has no row in the contract's table`);
  return route;
}

const PUBLIC = rows.filter(({ route }) => route.who.includes('public'));
const GUARDED = rows.filter(({ route }) => !route.who.includes('public'));

describe('what the OpenAPI document says about rights', () => {
  it('is that public operations ask for no credential', () => {
    expect(PUBLIC.length).toBeGreaterThan(5);
    expect(PUBLIC.filter(({ operation }) => operation.security?.length !== 0)).toEqual([]);
  });

  it('is a session, or a key with one of the scopes of the contract', () => {
    for (const { name, operation, route, method } of GUARDED) {
      const open = ALL_SCOPES.filter(
        (scope) => expectedRefusal(route, { role: 'admin', operator: true, scope }, method.toUpperCase()) === null,
      );
      const { security = [] } = operation;
      expect([name, security.filter((each) => 'session' in each)]).toEqual([name, [{ session: [] }]]);
      const said = security.flatMap((each) => each.apiKey ?? []);
      expect([name, said.toSorted()]).toEqual([name, open.toSorted()]);
      expect(security).toHaveLength(1 + said.length); // each by itself: a list in one entry would ask for all
    }
  });

  it('is the roles of the contract, whether operators pass, and whose right decides', () => {
    for (const { name, rights, route, method } of GUARDED) {
      const asks = { operator: false, scope: null };
      const roles = ALL_ROLES.filter(
        (role) => expectedRefusal(route, { ...asks, role }, method.toUpperCase()) === null,
      );
      expect([name, rights['x-roles']]).toEqual([name, roles]);
      expect([name, rights['x-operator'] === true]).toEqual([name, route.who.includes('op')]);
      const right = route.who.find((who) => who.startsWith('E:'))?.slice(2);
      expect([name, rights['x-right']]).toEqual([name, right]);
    }
  });

  it('is said in words, too', () => {
    for (const { name, operation } of rows)
      expect([name, operation.description]).toEqual([name, expect.stringMatching(/For |Public: /)]);
  });
});
