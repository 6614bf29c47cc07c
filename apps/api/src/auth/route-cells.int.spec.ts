import type { Role, Scope } from '@weft/access';
import { USERS, type UserDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';
import { contractRoute, withoutRow, type ContractRoute } from '../../../../test/rights/contract-routes.js';
import { ALL_ROLES, ALL_SCOPES, expectedRefusal, type Asker } from '../../../../test/rights/expected-rights.js';
import { allRoutes } from '../http/route-table.js';

const { app, mongo, send, person } = await liveApi();
const served = allRoutes(app.getHttpAdapter().getInstance());
const guarded = served.filter(({ method, url }) => !contractRoute(method, url)?.who.includes('public'));
const NO_SUCH_ID = '00d1zta050g00000zzzz';

interface Cell {
  readonly method: string;
  readonly url: string;
}

/** A request that no handler carries out: an id that nothing has, a body that nothing takes. */
function knock(by: Pick<Person, 'send'>, { method, url }: Cell): Promise<Answer> {
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { no_such_field: 1 } : undefined;
  return by.send(method, url.replace(/:\w+/g, NO_SUCH_ID), { body });
}

/** What the guards said: the code of their refusal, or null when the request went past them. */
function refusalIn({ method }: Cell, { status, body }: Answer): string | null {
  if (status !== 401 && status !== 403) return status < 500 ? null : `status ${status}`;
  return method === 'HEAD' ? String(status) : textOf(body.code);
}

async function differences(cells: readonly Cell[], asker: Asker, by: (cell: Cell) => Promise<Pick<Person, 'send'>>) {
  const wrong: string[] = [];
  for (const cell of cells) {
    const expected = expectedRefusal(contractRoute(cell.method, cell.url) as ContractRoute, asker, cell.method);
    const actual = refusalIn(cell, await knock(await by(cell), cell));
    const same = cell.method === 'HEAD' ? (expected === null) === (actual === null) : expected === actual;
    if (!same) wrong.push(`${cell.method} ${cell.url}: ${actual}, expected ${expected}`);
  }
  return wrong;
}

/** Every route once, by turns under the one prefix and the other. */
const cellsOf = (turn: number): Cell[] =>
  guarded.filter(({ url }) => !url.startsWith('/api/') || url.startsWith('/api/v1/') === (turn % 2 === 0));

/** DELETE without an id ends the session that asks: each such request has one of its own. */
async function asPerson(role: Role, companyId: string): Promise<(cell: Cell) => Promise<Person>> {
  const one = await person(role, companyId);
  return ({ method, url }) =>
    method === 'DELETE' && !url.includes(':') ? person(role, companyId) : Promise.resolve(one);
}

const admin = await person('admin');
await mongo.collection<UserDocument>(USERS).updateOne({ _id: admin.userId }, { $set: { operator: true } });
const { companyId } = admin.scope;

async function keyWith(scope: Scope, owner: Person = admin): Promise<Pick<Person, 'send'>> {
  const { body } = await owner.send('POST', '/api/v1/admin/api-keys', { body: { name: scope, scope } });
  const authorization = `Bearer ${textOf(body.token)}`;
  return { send: (method, path, options) => send(method, path, { ...options, headers: { authorization } }) };
}

describe('every route that answers', () => {
  it('is one of the contract, also those that no controller made', () => {
    expect(withoutRow(served.map(({ method, url }) => ({ method, path: url })))).toEqual([]);
  });

  it('answers HEAD where it answers GET', () => {
    const heads = new Set(served.filter(({ method }) => method === 'HEAD').map(({ url }) => url));
    expect(served.filter(({ method, url }) => method === 'GET' && !heads.has(url))).toEqual([]);
  });

  it('refuses strangers with 401 unless it is public, under both prefixes', async () => {
    const open: string[] = [];
    for (const cell of guarded) {
      const { status } = await knock({ send }, cell);
      if (status !== 401) open.push(`${cell.method} ${cell.url}: ${status}`);
    }
    expect(open).toEqual([]);
  });
});

describe('a person', () => {
  it.each(ALL_ROLES.map((role, turn) => [role, turn] as const))(
    'with the role %s gets past the guards where the contract says',
    async (role, turn) => {
      const asker = { role, operator: false, scope: null };
      expect(await differences(cellsOf(turn), asker, await asPerson(role, companyId))).toEqual([]);
    },
  );

  it('who is an operator gets past them everywhere as an admin', async () => {
    const asker = { role: 'admin', operator: true, scope: null } as const;
    const cells = cellsOf(0).filter(({ method, url }) => method !== 'DELETE' || url.includes(':'));
    expect(await differences(cells, asker, () => Promise.resolve(admin))).toEqual([]);
  });
});

describe('a key', () => {
  it.each(ALL_SCOPES.map((scope, turn) => [scope, turn] as const))(
    'with the scope %s of an operator opens what its letter stands on',
    async (scope, turn) => {
      const key = await keyWith(scope);
      const asker = { role: 'admin', operator: true, scope } as const;
      expect(await differences(cellsOf(turn), asker, () => Promise.resolve(key))).toEqual([]);
    },
  );

  it('can do no more than its user may do now', async () => {
    const demoted = await person('admin', companyId);
    const key = await keyWith('api', demoted);
    await mongo
      .collection<UserDocument>(USERS)
      .updateOne({ _id: demoted.userId }, { $set: { 'company_roles.0.role': 'viewer' } });
    app.get(InvalidationBus).publish({ kind: 'user', id: demoted.userId });
    const asker = { role: 'viewer', operator: false, scope: 'api' } as const;
    expect(await differences(cellsOf(1), asker, () => Promise.resolve(key))).toEqual([]);
  });
});

/** Whose last part is a name that may have any characters. */
const ENDS_IN_A_NAME = new Set(['/api/v1/lanes/:lane']);

describe('a path', () => {
  const gets = guarded.filter(({ method, url }) => method === 'GET' && url.startsWith('/api/v1/'));

  it('written with escapes is the same path', async () => {
    for (const { url } of gets) {
      const path = url.replace(/:\w+/g, NO_SUCH_ID);
      const escaped = path.replace(/[a-z](?=[a-z-]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
      expect((await send('GET', escaped)).status, escaped).toBe(401);
      const [plain, spelled] = [await admin.send('GET', path), await admin.send('GET', escaped)];
      expect([escaped, spelled.status]).toEqual([escaped, plain.status]);
    }
  });

  it('bent in any other way is nobody’s', async () => {
    const opened: string[] = [];
    for (const { url } of gets) {
      const path = url.replace(/:\w+/g, NO_SUCH_ID);
      const bent = [
        `/${path}`,
        `${path}/`,
        ...(ENDS_IN_A_NAME.has(url) ? [] : [`${path};x`]),
        path.replace('/api/', '/API/'),
        path.replace('/api/v1/', '/api/v1%2f'),
        path.replace('/api/v1/', '/api//v1/'),
      ];
      for (const each of bent) {
        const { status } = await send('GET', each);
        if (status !== 404 && status !== 401) opened.push(`GET ${each} by nobody: ${status}`);
        const known = await admin.send('GET', each);
        if (known.status !== 404) opened.push(`GET ${each}: ${known.status}`);
      }
    }
    expect(opened).toEqual([]);
  });
});
