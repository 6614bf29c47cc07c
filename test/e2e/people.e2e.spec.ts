import { ApiClient, socketClient, type ApiAnswer } from '@weft/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany } from './harness/neighbour-company.js';

const fleet = await sharedFleet();
const { admin } = fleet;
const { url } = admin;
const PASSWORD = 'seven grey herons';
const STAYS_OPEN = { delayMs: 3_600_000 };

interface Made {
  readonly id: string;
  readonly invite_url: string;
}
interface Me {
  readonly company_id: string;
  readonly roles: readonly string[];
  readonly companies: readonly { readonly company_id: string }[];
  readonly user: { readonly id: string };
}
interface ItemsOf<T> {
  readonly items: readonly T[];
  readonly total: number;
}

const home = (await admin.send<Me>('GET', '/api/v1/auth/me')).body;
const ROLES = ['flow_editor', 'flow_executor', 'viewer', 'audit_viewer'] as const;
type Invited = (typeof ROLES)[number];
const people = {} as Record<Invited, { readonly id: string; readonly email: string; readonly client: ApiClient }>;

/** As people do: the admin passes the link on, the invited one follows it and signs in. */
async function invite(role: Invited): Promise<void> {
  const email = `${role}@weft.test`;
  const roles = [{ company_id: home.company_id, role }];
  const made = await admin.send<Made>('POST', '/api/v1/users', { email, roles });
  expect(made.status).toBe(201);
  await follow(made.body, PASSWORD);
  people[role] = { id: made.body.id, email, client: await new ApiClient(url).login({ email, password: PASSWORD }) };
}

async function follow({ invite_url }: Made, password: string): Promise<void> {
  const token = new URL(invite_url).searchParams.get('token');
  const accepted = await new ApiClient(url).send('POST', '/api/v1/auth/password/accept', { token, password });
  expect(accepted.status).toBe(204);
}

beforeAll(async () => {
  await Promise.all(ROLES.map(invite));
});

describe('people in four roles, and the admin who invited them', () => {
  it('can do what their role says, and are refused everything else', async () => {
    const flow = (await admin.createFlow({ name: 'Shared' })).id;
    const play = (await admin.run(flow)).playId;
    const doomed = await Promise.all([1, 2, 3, 4].map(() => admin.createFlow()));
    const flows = [...doomed.map(({ id }) => id), (await admin.createFlow()).id];
    // what a role may: docs/http-api.md §1.8; which status: §2 to §5 there. editor, executor, viewer, audit viewer, admin
    const table: readonly [string, string, object | undefined, readonly number[]][] = [
      ['GET', `flows/${flow}`, undefined, [200, 200, 200, 200, 200]],
      ['GET', `plays/${play}`, undefined, [200, 200, 200, 200, 200]],
      ['POST', 'flows', { name: 'mine' }, [201, 403, 403, 403, 201]],
      ['PUT', `flows/${flow}`, { category: 'c' }, [200, 403, 403, 403, 200]],
      ['POST', `flows/${flow}/run`, {}, [202, 202, 403, 403, 202]],
      ['DELETE', 'flows/<own>', undefined, [403, 403, 403, 403, 204]],
      ['GET', 'users', undefined, [403, 403, 403, 200, 200]],
      ['GET', `users/${home.user.id}/activity`, undefined, [403, 403, 403, 200, 200]],
      ['PATCH', `users/${people.viewer.id}`, { name: 'Vi' }, [403, 403, 403, 403, 200]],
      ['POST', 'groups', { name: 'g' }, [403, 403, 403, 403, 201]],
      ['POST', 'admin/api-keys', { name: 'k' }, [403, 403, 403, 403, 201]],
      ['GET', 'admin/config', undefined, [403, 403, 403, 403, 200]],
      ['PATCH', 'admin/config', { 'session.ttl_hours': null }, [403, 403, 403, 403, 200]],
      ['GET', 'companies', undefined, [200, 200, 200, 200, 200]],
      ['PATCH', `companies/${home.company_id}`, { name: 'Weft' }, [403, 403, 403, 403, 200]],
      ['POST', 'companies', { name: 'Another' }, [403, 403, 403, 403, 201]],
      ['GET', 'auth/sessions', undefined, [200, 200, 200, 200, 200]],
    ];
    const clients = [...ROLES.map((role) => people[role].client), admin];
    for (const prefix of ['/api/v1', '/api']) {
      for (const [method, path, body, expected] of table) {
        const ask = (client: ApiClient, at: number): Promise<ApiAnswer<unknown>> =>
          client.send(method, `${prefix}/${path.replace('<own>', String(flows[at]))}`, body);
        const statuses = (await Promise.all(clients.map(ask))).map(({ status }) => status);
        const again = path.includes('<own>') && prefix === '/api';
        const told = again ? expected.map((status) => (status === 204 ? 404 : status)) : expected;
        expect([`${method} ${prefix}/${path}`, statuses]).toEqual([`${method} ${prefix}/${path}`, told]);
      }
    }
  });
});

describe('a user in two companies', () => {
  it('works in one at a time, and carries nothing over', async () => {
    const neighbour = await neighbourCompany(fleet);
    const theirs = (await neighbour.send<Me>('GET', '/api/v1/auth/me')).body.company_id;
    const { email, client } = people.flow_editor;
    const flow = await neighbour.createFlow({ name: 'Theirs' });
    expect((await client.send('GET', `/api/v1/flows/${flow.id}`)).status).toBe(404);

    const roles = [{ company_id: theirs, role: 'viewer' }];
    const invited = await neighbour.send<Made>('POST', '/api/v1/users', { email, roles });
    expect(invited).toMatchObject({ status: 201, body: { state: 'invited', company_roles: roles } });
    const enter = () => client.send<Me>('POST', '/api/v1/auth/switch-company', { company_id: theirs });
    expect((await enter()).status).toBe(404);
    await follow(invited.body, PASSWORD);
    const { playId } = await client.run((await client.createFlow()).id, STAYS_OPEN);
    const socket = socketClient(`${fleet.one('realtime').url}/ws/plays/${playId}`, { headers: client.credentials });
    await socket.opened;
    const moved = await enter();
    expect(moved).toMatchObject({ status: 200, body: { company_id: theirs, roles: ['viewer'] } });
    expect(moved.body.companies).toHaveLength(2);
    expect((await client.send('GET', '/api/v1/auth/me')).status).toBe(401);
    expect((await socket.closed).code).toBe(4401);

    const there = new ApiClient(url, { cookie: String(moved.headers['set-cookie']).split(';')[0] ?? '' });
    const seen = (await there.send<ItemsOf<{ id: string }>>('GET', '/api/v1/flows')).body;
    expect(seen).toMatchObject({ total: 1, items: [{ id: flow.id }] });
    expect((await there.send('POST', '/api/v1/flows', { name: 'x' })).status).toBe(403);
    const back = await there.send<Me>('POST', '/api/v1/auth/switch-company', { company_id: home.company_id });
    expect(back.body.roles).toEqual(['flow_editor']);
  });
});

describe('the admin of another company', () => {
  it('finds nobody and nothing of this one, and gets into it by no body', async () => {
    const foreigner = await neighbourCompany(fleet);
    const { id } = people.viewer;
    const group = (await admin.send<Made>('POST', '/api/v1/groups', { name: 'Ours' })).body.id;
    const users = (await foreigner.send<ItemsOf<unknown>>('GET', '/api/v1/users')).body;
    expect(users.total).toBe(1);
    expect((await foreigner.send<ItemsOf<unknown>>('GET', '/api/v1/groups')).body.total).toBe(0);
    expect((await foreigner.send<ItemsOf<unknown>>('GET', '/api/v1/companies')).body.total).toBe(1);
    const asked: readonly [string, string, object?][] = [
      ['GET', `users/${id}`],
      ['PATCH', `users/${id}`, { active: false }],
      ['DELETE', `users/${id}`],
      ['POST', `users/${id}/password-reset`],
      ['GET', `users/${id}/activity`],
      ['POST', 'users', { email: 'spy@weft.test', roles: [{ company_id: home.company_id, role: 'admin' }] }],
      ['GET', `groups/${group}`],
      ['PUT', `groups/${group}/members/${id}`],
      ['GET', `companies/${home.company_id}`],
      ['PATCH', `companies/${home.company_id}`, { name: 'Taken' }],
      ['POST', 'auth/switch-company', { company_id: home.company_id }],
      ['POST', 'admin/api-keys', { name: 'k', company_id: home.company_id }],
    ];
    for (const [method, path, body] of asked) {
      const { status } = await foreigner.send(method, `/api/v1/${path}`, body);
      expect([method, path, status]).toEqual([method, path, 404]);
    }
    expect((await people.viewer.client.send('GET', '/api/v1/auth/me')).status).toBe(200);
  });
});

describe('a user who is deactivated', () => {
  it('loses the open socket, the session and the key at once, in every process', async () => {
    const { id, email, client } = people.flow_executor;
    const { token } = await admin.createApiKey({ user_id: id });
    const flow = await admin.createFlow();
    const { playId } = await client.run(flow.id, STAYS_OPEN);
    const socket = socketClient(`${fleet.one('realtime').url}/ws/plays/${playId}`, { headers: client.credentials });
    await socket.opened;
    expect((await admin.send('PATCH', `/api/v1/users/${id}`, { active: false })).status).toBe(200);
    const [session, key] = [
      await client.send('GET', '/api/v1/auth/me'),
      await client.withKey(token).send('GET', '/api/v1/auth/me'),
    ];
    expect([session.status, key.status]).toEqual([401, 401]);
    expect((await socket.closed).code).toBe(4401);
    const again = socketClient(`${fleet.one('realtime').url}/ws/plays/${playId}`, { headers: client.credentials });
    await expect(again.opened).rejects.toThrow();
    expect(again.refusedWith()).toBe(401);
    const login = await new ApiClient(url).send('POST', '/api/v1/auth/login', { email, password: PASSWORD });
    expect(login).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
  });
});
