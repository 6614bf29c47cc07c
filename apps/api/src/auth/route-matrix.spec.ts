import 'reflect-metadata';
import {
  grantedOnFlow,
  HeldGrants,
  mayDecideApproval,
  mayOnFlow,
  mayOnPlay,
  mayRunVersion,
  mayShareLaneOf,
  PERMISSIONS,
  type Grant,
  type Permission,
  type Role,
} from '@weft/access';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CONTRACT_ROUTES,
  contractRoute,
  withoutRow,
  type ContractRoute,
} from '../../../../test/rights/contract-routes.js';
import {
  ALL_ROLES,
  ALL_SCOPES,
  expectedOnFlow,
  expectedOnPlays,
  expectedRefusal,
  PLAYS_ROWS,
  RELATIONS,
  type Asker,
  type PlaysRow,
  type Relation,
} from '../../../../test/rights/expected-rights.js';
import { moduleRoutes, type ModuleRoute } from '../../../../test/rights/module-routes.js';
import { ApiModule } from '../api.module.js';
import { refusalBy } from './authorization.guard.js';

const ROUTES = moduleRoutes(ApiModule);

/** Every role, operator or not, by session and by a key of each scope. */
const ASKERS: readonly Asker[] = ALL_ROLES.flatMap((role) =>
  [false, true].flatMap((operator) => [null, ...ALL_SCOPES].map((scope) => ({ role, operator, scope }))),
);

function actualRefusal({ policy }: ModuleRoute, { role, operator, scope }: Asker, method: string): string | null {
  if (policy === 'public') return null;
  if (policy === undefined) return 'no policy';
  const auth = scope === null ? ('session' as const) : ('api_key' as const);
  return (
    refusalBy(policy, { role, operator, auth, scopes: scope === null ? ALL_SCOPES : [scope] }, method)?.code ?? null
  );
}

/** A flow that stands so to the caller `me`, who is in the group `g`, and what was granted. */
function stage(
  relation: Relation,
  permission: Permission,
): { flow: Parameters<typeof mayOnFlow>[2]; held: HeldGrants[] } {
  const other: Permission = permission === 'read' ? 'delete' : 'read';
  const on = (resourceType: Grant['resourceType'], resourceId: string, given: Permission): HeldGrants =>
    new HeldGrants([{ resourceType, resourceId, permissions: [given] }]);
  const none = new HeldGrants([]);
  const mine = new Map<Relation, HeldGrants>([
    ['granted', on('flow', 'f', permission)],
    ['flow-group-granted', on('flow_group', 'fg', permission)],
    ['granted something else', on('flow', 'f', other)],
    ['foreign', on('flow', 'f', permission)],
  ]).get(relation);
  return {
    flow: {
      _id: 'f',
      company_id: relation === 'foreign' ? 'theirs' : 'ours',
      createdBy: relation === 'own' ? 'me' : 'somebody',
      groupId: 'fg',
      restricted: relation !== 'plain',
    },
    held: [mine ?? none, relation === 'group-granted' ? on('flow', 'f', permission) : none],
  };
}

const methodsOf = ({ method }: ModuleRoute): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method]);
const nameOf = ({ role, operator, scope }: Asker): string =>
  `${role}${operator ? ' (operator)' : ''} ${scope === null ? 'in a session' : `with a key of ${scope}`}`;
const sorted = (words: readonly string[]): string => [...words].sort().join(' ');

describe('the route table', () => {
  it('has only routes that the contract has', () => {
    expect(withoutRow(ROUTES)).toEqual([]);
    expect(ROUTES.length).toBeGreaterThan(60);
  });

  it('has each route under both prefixes, by one handler', () => {
    const handlers = new Map(ROUTES.map((route) => [`${route.method} ${route.path}`, route.handler]));
    const aliased = ROUTES.filter(({ path }) => path.startsWith('/api/v1/'));
    const alone = aliased.filter(
      ({ method, path, handler }) => handlers.get(`${method} ${path.replace('/api/v1/', '/api/')}`) !== handler,
    );
    expect(alone).toEqual([]);
  });

  it('asks for the right on the object that the contract names', () => {
    const differing = ROUTES.flatMap(({ method, path, policy }) => {
      const asked =
        policy === 'public' || !policy
          ? []
          : policy.who.flatMap((right) => (right.kind === 'flow' ? [`E:${right.permission}`] : []));
      const named = contractRoute(method, path)?.who ?? [];
      return asked.length === 0 || sorted(asked) === sorted(named) ? [] : [{ method, path, asked, named }];
    });
    expect(differing).toEqual([]);
  });

  it('cannot be held against a table that names a route twice', () => {
    const names = CONTRACT_ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([]);
  });
});

describe('the matrix', () => {
  // of a hundred thousand refusals
  const { stackTraceLimit } = Error;
  beforeAll(() => void (Error.stackTraceLimit = 0));
  afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

  for (const route of ROUTES.filter(({ path }) => !path.startsWith('/api/') || path.startsWith('/api/v1/'))) {
    it(`${route.method} ${route.path}: role × scope × method as in the contract`, () => {
      const row = contractRoute(route.method, route.path) as ContractRoute;
      const wrong = methodsOf(route).flatMap((method) =>
        ASKERS.flatMap((asker) => {
          const [expected, actual] = [expectedRefusal(row, asker, method), actualRefusal(route, asker, method)];
          return expected === actual ? [] : [`${method} by ${nameOf(asker)}: ${actual}, expected ${expected}`];
        }),
      );
      expect(wrong).toEqual([]);
    });
  }

  for (const role of ALL_ROLES) {
    it(`gives ${role} on flows what creation, grants and the row "Flows" give, and a key no more than its scope`, () => {
      const wrong = ROUTES.flatMap((route) => {
        const permission = objectRightOf(route);
        if (permission === null) return [];
        const row = contractRoute(route.method, route.path) as ContractRoute;
        return methodsOf(route).flatMap((method) =>
          RELATIONS.flatMap((relation) =>
            [null, ...ALL_SCOPES].flatMap((scope) => {
              const asker = { role, operator: false, scope };
              const expected =
                expectedRefusal(row, asker, method) === null && expectedOnFlow(role, relation, permission);
              const actual = actualRefusal(route, asker, method) === null && allowed(role, relation, permission);
              const cell = `${method} ${route.path} by ${nameOf(asker)}, flow ${relation}`;
              return expected === actual ? [] : [`${cell}: ${actual}, expected ${expected}`];
            }),
          ),
        );
      });
      expect(wrong).toEqual([]);
    });
  }
});

function objectRightOf({ policy }: ModuleRoute): Permission | null {
  if (policy === 'public' || !policy) return null;
  return policy.who.find((right) => right.kind === 'flow')?.permission ?? null;
}

function allowed(role: Role, relation: Relation, permission: Permission): boolean {
  const { flow, held } = stage(relation, permission);
  return mayOnFlow({ userId: 'me', companyId: 'ours', role }, permission, flow, grantedOnFlow(held, flow));
}

/** The rules of libs/access under the names of the contract's rows. */
function actualOnPlays(row: PlaysRow, role: Role, restricted: boolean, grants: readonly Permission[]): boolean {
  const caller = { userId: 'me', companyId: 'ours', role, groupIds: [], auth: 'session', scopes: [] } as const;
  const flow = { _id: 'f', company_id: 'ours', createdBy: 'somebody', groupId: null, restricted };
  const [mine, theirs] = [
    { triggeredBy: 'me', trigger: 'api' },
    { triggeredBy: 'another', trigger: 'api' },
  ] as const;
  switch (row) {
    case 'read a play':
      return mayOnPlay(caller, 'read', theirs, flow, grants);
    case 'command the play of another':
      return mayOnPlay(caller, 'control', theirs, flow, grants);
    case 'command the own play':
      return mayOnPlay(caller, 'control', mine, flow, grants);
    case 'skip the own play in its lane':
      return mayOnPlay(caller, 'skip', mine, flow, grants);
    case 'decide an approval that names nobody':
      return mayDecideApproval(caller, [], theirs, flow, grants);
    case 'decide an approval that names the caller':
      return mayDecideApproval(caller, ['me'], theirs, flow, grants);
    case 'run the published version':
      return mayRunVersion(caller, 3, 3, flow, grants);
    case 'run another version':
      return mayRunVersion(caller, 2, 3, flow, grants) && mayRunVersion(caller, 2, null, flow, grants);
    case 'name a lane of the flow for another flow':
      return mayShareLaneOf(caller, flow, grants);
  }
}

describe('the rows of plays', () => {
  const GRANTED = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map((bits) =>
    PERMISSIONS.filter((_permission, n) => (bits & (1 << n)) !== 0),
  );
  for (const row of Object.keys(PLAYS_ROWS) as PlaysRow[]) {
    it(`${row}: role × restricted × grants as in the contract`, () => {
      const wrong = ALL_ROLES.flatMap((role) =>
        [false, true].flatMap((restricted) =>
          GRANTED.flatMap((grants) => {
            const actual = actualOnPlays(row, role, restricted, grants);
            const isRight = actual === expectedOnPlays(row, role, restricted, grants);
            return isRight ? [] : [`${role}, restricted: ${restricted}, granted ${grants.join()}: ${actual}`];
          }),
        ),
      );
      expect(wrong).toEqual([]);
    });
  }
});
