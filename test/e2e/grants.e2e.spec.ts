// Processes of its own: their Redis is killed.
import type { FlowView } from '@weft/contracts';
import { privateRedis, socketClient, waitFor, type ApiClient, type SocketClient } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';
import { signedIn } from './harness/neighbour-company.js';

const redis = await privateRedis();
const fleet = await startFleet({ apps: ['api', 'realtime'], servers: { redisUrl: redis.uri } });
const { admin } = fleet;
/** Another replica, which learns of changes by the bus or by its next read. */
const elsewhere = await fleet.add('api');
const live = fleet.one('realtime').url;

const secret = (fields: object = {}): Promise<FlowView> =>
  admin.createFlow({ name: 'Secret', restricted: true, ...fields });
const { company_id: companyId } = await secret();

interface Outsider {
  readonly client: ApiClient;
  readonly userId: string;
}

/** A user without a role, who sees only what grants allow. Uses the other replica. */
async function outsider(): Promise<Outsider> {
  const client = (await signedIn(fleet, 'none', companyId)).at(elsewhere.url);
  const me = await client.send<{ user: { id: string } }>('GET', '/api/v1/auth/me');
  return { client, userId: me.body.user.id };
}

async function post(path: string, body: object): Promise<string> {
  const answer = await admin.send<{ id: string }>('POST', `/api/v1/${path}`, body);
  expect([path, answer.status]).toEqual([path, 201]);
  return answer.body.id;
}

function grant(
  on: readonly [string, string],
  to: readonly [string, string],
  ...permissions: string[]
): Promise<string> {
  const [resource_type, resource_id] = on;
  const [grant_type, grantee_id] = to;
  return post('access/grant', { resource_type, resource_id, grant_type, grantee_id, permissions });
}

const takeBack = (id: string) => admin.send('DELETE', `/api/v1/access/grants/${id}`);
const readable = async ({ client }: Outsider, flow: FlowView): Promise<boolean> =>
  (await client.send('GET', `/api/flows/${flow.id}`)).status === 200;
const seen = async ({ client }: Outsider): Promise<string[]> =>
  (await client.send<{ items: FlowView[] }>('GET', '/api/v1/flows')).body.items.map(({ id }) => id).sort();
const becomes = (what: string, ask: () => Promise<boolean>) => waitFor(ask, { what, withinMs: 10_000 });

/** A stream of a play of that flow that waits for its time. */
async function watching(who: Outsider, flow: FlowView): Promise<SocketClient> {
  const { playId } = await admin.run(flow.id, { delayMs: 3_600_000 });
  const socket = socketClient(`${live}/ws/plays/${playId}`, { headers: who.client.credentials });
  await socket.opened;
  return socket;
}

describe('grants', () => {
  it('to a user, to a group and on a flow group each open their flows, and closed again they are', async () => {
    const someone = await outsider();
    const groupId = await post('groups', { name: 'Readers' });
    expect((await admin.send('PUT', `/api/v1/groups/${groupId}/members/${someone.userId}`)).status).toBe(204);
    const flowGroupId = await post('flow-groups', { name: 'Kept together' });
    const flows = [
      await secret(),
      await secret(),
      await secret({ groupId: flowGroupId }),
      await secret({ groupId: flowGroupId }),
    ];
    const [one, two, ...grouped] = flows as [FlowView, FlowView, ...FlowView[]];
    expect(await seen(someone)).toEqual([]);

    const grants = [
      await grant(['flow', one.id], ['user', someone.userId], 'read'),
      await grant(['flow', two.id], ['group', groupId], 'read', 'execute'),
      await grant(['flow_group', flowGroupId], ['group', groupId], 'read', 'edit'),
    ];
    await becomes('all four to be seen', async () => (await seen(someone)).length === 4);
    expect(await seen(someone)).toEqual(flows.map(({ id }) => id).sort());
    const may = async (method: 'POST' | 'PUT', path: string): Promise<number> =>
      (await someone.client.send(method, `/api/v1/flows/${path}`, {})).status;
    expect([await may('POST', `${one.id}/run`), await may('POST', `${two.id}/run`)]).toEqual([403, 202]);
    expect([await may('PUT', two.id), await may('PUT', String(grouped[0]?.id))]).toEqual([403, 200]);

    await Promise.all(grants.map(takeBack));
    await becomes('nothing to be left', async () => (await seen(someone)).length === 0);
    for (const flow of flows) expect(await readable(someone, flow)).toBe(false);
  });

  it('that end close the sockets that they opened, with 4403', async () => {
    const [flow, someone] = [await secret(), await outsider()];
    const id = await grant(['flow', flow.id], ['user', someone.userId], 'read');
    const socket = await watching(someone, flow);
    await takeBack(id);
    expect(await socket.closed).toMatchObject({ code: 4403 });
  });
});

describe('a key', () => {
  it('opens the areas of its scope, and no other', async () => {
    const flow = await admin.createFlow({ name: 'Open' });
    const areas: readonly ['GET' | 'POST' | 'DELETE', string, object?][] = [
      ['GET', '/api/v1/auth/me'],
      ['GET', '/api/flows'],
      ['POST', '/api/flows', { name: 'by key' }],
      ['POST', `/api/flows/${flow.id}/run`, { delayMs: 3_600_000 }],
      ['GET', '/api/plays'],
      ['DELETE', `/api/v1/plays/${flow.id}`],
      ['GET', '/api/v1/users'],
      ['GET', '/api/v1/access/grants'],
    ];
    const opened: Record<string, string> = {};
    for (const scope of [
      'api',
      'api:read',
      'read',
      'api:flows',
      'api:plays',
      'mcp',
      'flow:execute',
      'webhooks',
      'admin',
    ]) {
      const key = admin.withKey((await admin.createApiKey({ scope })).token).at(elsewhere.url);
      const answers = [];
      for (const [method, path, body] of areas) answers.push((await key.send(method, path, body)).status);
      opened[scope] = answers.map((status) => (status === 403 ? '-' : status)).join(' ');
    }
    expect(opened).toEqual({
      api: '200 200 201 202 200 404 200 200',
      'api:read': '200 200 - - 200 - 200 200',
      read: '200 200 - - 200 - 200 200',
      'api:flows': '200 200 201 - - - - -',
      'api:plays': '200 - - 202 200 - - -',
      mcp: '- - - - - - - -',
      'flow:execute': '200 - - 202 - - - -',
      webhooks: '- - - - - - - -',
      admin: '200 - - - - - 200 200',
    });
  });
});

describe('while Redis is down', () => {
  it('a grant opens and closes on the other replica, and closes its sockets, all the same', async () => {
    const [flow, someone] = [await secret(), await outsider()];
    const id = await grant(['flow', flow.id], ['user', someone.userId], 'read');
    const socket = await watching(someone, flow);
    await redis.kill();
    expect(await readable(someone, flow)).toBe(true);
    await takeBack(id);
    await becomes('the flow to be closed', async () => !(await readable(someone, flow)));
    expect(await socket.closed).toMatchObject({ code: 4403 });
    await grant(['flow', flow.id], ['user', someone.userId], 'read');
    await becomes('the flow to be open again', () => readable(someone, flow));
  });
});
