import type { Role } from '@weft/access';
import { GRANTS, USERS, type GrantDocument, type UserDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';
import { contractRoute } from '../../../../test/rights/contract-routes.js';
import { expectedRefusal, type Asker } from '../../../../test/rights/expected-rights.js';
import { bare, furnished } from '../../../../test/rights/furnished.js';
import { describedOperations, type DescribedOperation, type OpenApi } from '../../../../test/rights/openapi-cells.js';

const { mongo, send, person } = await liveApi();
type Sender = Pick<Person, 'send'>;

const ours = await person('admin');
await mongo.collection<UserDocument>(USERS).updateOne({ _id: ours.userId }, { $set: { operator: true } });
const theirs = await person('admin');
const document = (await send('GET', '/api/openapi.json')).body as unknown as OpenApi;

/** Names that callers choose themselves: under the same one each company has its own. */
const NAMED_BY_CALLERS = new Set([
  'PUT /api/v1/kv/{key}',
  'PUT /api/v1/flows/by-key/{key}/document',
  'PATCH /api/v1/destinations/{id}',
  'POST /api/v1/destinations/{id}/pause',
  'GET /api/v1/lanes/{lane}',
  'POST /api/v1/lanes/{lane}/skip',
  // an API that the query names: flow-faces.int.spec
  'GET /api/v1/modules/{appId}/face',
  // who has the address may use it
  ...['GET /hooks/{token}', 'POST /hooks/plays/{token}'],
]);

/** Parameters that are not ids. */
const NO_IDS = new Set(['ref', 'version', 'n', 'key', 'name', 'provider', 'appId']);

const { known, made, pathOf: ourPath } = await furnished(document, mongo, ours);
const operations = describedOperations(document, known);
const withIds = operations.filter(
  ({ parameters, path, method }) => parameters.length > 0 && !NAMED_BY_CALLERS.has(`${method} ${path}`),
);

/** Everything that the database has of our company, as it is now. */
async function ourData(): Promise<string[]> {
  const collections = await mongo.db.listCollections({}, { nameOnly: true }).toArray();
  const documents = await Promise.all(collections.map(({ name }) => mongo.collection(name).find({}).toArray()));
  const lines = documents.flat().map((each) => JSON.stringify(each));
  return lines.filter((line) => line.includes(ours.scope.companyId)).sort();
}

const routeOf = ({ method, path }: DescribedOperation) => contractRoute(method, path.replace(/\{(\w+)\}/g, ':$1'));

/** What a caller of another company must hear: what the guards say, else that there is no such thing. */
async function othersHear(by: Sender, asker: Asker): Promise<string[]> {
  const wrong: string[] = [];
  for (const operation of withIds) {
    const row = routeOf(operation);
    if (!row || row.who.includes('public')) continue;
    const refusal = expectedRefusal(row, asker, operation.method);
    const path = ourPath(operation);
    const { status, body } = await by.send(operation.method, path, { body: operation.body });
    const expected = refusal === null ? '404 not_found' : `403 ${refusal}`;
    if (`${status} ${textOf(body.code)}` !== expected) {
      wrong.push(`${operation.method} ${path}: ${status} ${textOf(body.code)}, expected ${expected}`);
    }
  }
  return wrong;
}

async function keyOf(owner: Person, scope: string): Promise<Sender> {
  const { body } = await owner.send('POST', '/api/v1/admin/api-keys', { body: { name: scope, scope } });
  const authorization = `Bearer ${textOf(body.token)}`;
  return { send: (method, path, options) => send(method, path, { ...options, headers: { authorization } }) };
}

/** Somebody of the other company who has a grant, made past the API, on every thing of ours that grants can be on. */
async function grantedStranger(role: Role): Promise<Person> {
  const someone = await person(role, theirs.scope.companyId);
  const { userId: GranteeID, scope } = someone;
  const common = { CompanyID: scope.companyId, ResourceCreatedBy: GranteeID, GrantType: 'user', GranteeID } as const;
  const on = (ResourceType: GrantDocument['ResourceType'], path: string): GrantDocument => ({
    ...{ ...common, _id: newId(), ResourceType, ResourceID: made.get(path) ?? '' },
    ...{ Permissions: ['read', 'execute', 'edit', 'delete'], CreatedBy: GranteeID, CreatedAt: new Date() },
  });
  await mongo
    .collection<GrantDocument>(GRANTS)
    .insertMany([on('flow', '/api/v1/flows'), on('flow_group', '/api/v1/flow-groups')]);
  return someone;
}

describe('everything of another company', () => {
  it('is there, and asked for by every operation with an id', () => {
    const things = [
      'flows',
      'plays',
      'flows/{}/layers',
      'users',
      'groups',
      'flow-groups',
      'admin/api-keys',
      'auth/sessions',
      'auth/identities',
    ];
    expect([...things, 'access/grants'].filter((thing) => !made.get(`/api/v1/${thing}`))).toEqual([]);
    expect(withIds.length).toBeGreaterThan(40);
    const unmade = withIds.filter(({ parameters, path }) => {
      const lastId = parameters.filter((name) => !NO_IDS.has(name)).at(-1);
      return lastId !== undefined && !made.has(bare(path.slice(0, path.indexOf(`/{${lastId}}`))));
    });
    // what POST did not make of its document's smallest body: give the field that it needs a value in `known`
    expect(unmade.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(withIds.filter((operation) => !routeOf(operation))).toEqual([]);
  });

  it('is nowhere to be found: not in a session, not with a key, not with a grant; and nothing of it changes', async () => {
    const before = await ourData();
    const wrong = [
      await othersHear(theirs, { role: 'admin', operator: false, scope: null }),
      await othersHear(await keyOf(theirs, 'api'), { role: 'admin', operator: false, scope: 'api' }),
      await othersHear(await keyOf(theirs, 'admin'), { role: 'admin', operator: false, scope: 'admin' }),
      await othersHear(await grantedStranger('none'), { role: 'none', operator: false, scope: null }),
      await othersHear(await grantedStranger('flow_editor'), { role: 'flow_editor', operator: false, scope: null }),
    ];
    expect(wrong).toEqual([[], [], [], [], []]);
    expect(await ourData()).toEqual(before);
  });

  it('looks the same as what never was', async () => {
    const seen = ({ status, body }: Answer): object => ({ status, body: { ...body, instance: '', requestId: '' } });
    for (const operation of withIds.filter(({ method }) => method === 'GET')) {
      const path = ourPath(operation);
      const unknown = operation.path.replace(/\{[^}]+\}/g, newId());
      expect([path, seen(await theirs.send('GET', path))]).toEqual([path, seen(await theirs.send('GET', unknown))]);
    }
  });

  it('cannot be named in a body, and nothing of it changes', async () => {
    const before = await ourData();
    const ids = [...made.values(), ours.userId, ours.scope.companyId];
    const naming = operations.filter(
      ({ method, parameters, body }) =>
        method !== 'GET' &&
        parameters.length === 0 &&
        ids.some((id) => id !== '' && JSON.stringify(body ?? {}).includes(id)),
    );
    expect(naming.map(({ path }) => path)).toContain('/api/v1/access/grant');
    const wrong: string[] = [];
    for (const { method, path, body } of naming) {
      const { status } = await theirs.send(method, path, { body });
      if (![403, 404, 422].includes(status)) wrong.push(`${method} ${path}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(await ourData()).toEqual(before);
  });

  it('is out of reach of optional fields, too', async () => {
    const { companyId } = ours.scope;
    const mine = textOf((await theirs.send('POST', '/api/v1/flows', { body: { name: 'theirs' } })).body.id);
    const [flow, play, flowGroup, group] = ['flows', 'plays', 'flow-groups', 'groups'].map((noun) =>
      made.get(`/api/v1/${noun}`),
    );
    const grant = { resource_type: 'flow', resource_id: mine, permissions: ['read'] };
    const attempts: readonly [string, string, object, number][] = [
      ['POST', 'admin/api-keys', { name: 'k', company_id: companyId }, 404],
      ['POST', 'admin/api-keys', { name: 'k', user_id: ours.userId }, 422],
      ['POST', 'users', { email: 'a@weft.test', roles: [{ company_id: companyId, role: 'admin' }] }, 404],
      ['POST', 'auth/switch-company', { company_id: companyId }, 404],
      ['POST', 'flows', { name: 'x', groupId: flowGroup }, 422],
      ['PUT', `flows/${mine}`, { groupId: flowGroup }, 422],
      ['PUT', `flows/${mine}`, { company_id: companyId }, 400],
      ['POST', 'plays', { flowId: flow }, 404],
      ['POST', 'access/grant', { ...grant, grant_type: 'user', grantee_id: ours.userId }, 422],
      ['POST', 'access/grant', { ...grant, grant_type: 'group', grantee_id: group }, 422],
      ['GET', `flows?groupId=${flowGroup}`, {}, 200],
      ['POST', 'plays/bulk', { action: 'cancel', ids: [play] }, 202],
    ];
    const before = await ourData();
    for (const [method, path, body, status] of attempts) {
      const answer = await theirs.send(method, `/api/v1/${path}`, method === 'GET' ? {} : { body });
      expect([path, body, answer.status]).toEqual([path, body, status]);
      if (status < 300) expect(answer.body.total ?? answer.body.matched).toBe(0);
    }
    expect(await ourData()).toEqual(before);
  });
});
