// Processes of its own: processes and servers are killed under streams.
import type { FlowView, PlayFrame } from '@weft/contracts';
import { socketClient, waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { followAll, followPlay, type Change } from '../../docs/examples/watch.js';
import { neighbourCompany, signedIn } from '../e2e/harness/neighbour-company.js';
import { startCluster } from './harness/cluster.js';
import { asChanges } from './harness/company-watcher.js';
import { cuttableWay } from './harness/cuttable-way.js';
import { pacedLedger } from './harness/paced-ledger.js';

const LAYERS = 500;
const CUTS = Array.from({ length: 20 }, (_, i) => 12 + 24 * i);
/** For one of this many layers, a GET reads what a frame says as soon as the frame has arrived. */
const READ_EVERY = 25;

const cluster = await startCluster();
const { admin, ledger, redis, add, one } = cluster;
const { atCall } = pacedLedger(ledger);
const [first, second] = [one('realtime'), await add('realtime')];
const way = await cuttableWay(first.port, second.port);
const { token } = await admin.createApiKey({ scope: 'api:read' });
const flow = await longFlow();
const outsider = await signedIn(cluster, 'none', flow.company_id);
const grantId = await grantTo(await userIdOf());
const neighbour = await neighbourCompany(cluster);

async function longFlow(): Promise<FlowView> {
  const layers = Array.from({ length: LAYERS }, (_, i) => ({
    ...{ ref: `l${i}`, appId: 'web-request', args: { url: `${ledger.url}/${i}` } },
  }));
  const document = { schema: 'weft.flow/1', name: 'Long', layers };
  const { body } = await admin.send<FlowView>('POST', '/api/v1/flows/import', { document });
  await admin.send('PUT', `/api/v1/flows/${body.id}`, { enabled: true, restricted: true });
  return body;
}

async function userIdOf(): Promise<string> {
  return (await outsider.send<{ user: { id: string } }>('GET', '/api/v1/auth/me')).body.user.id;
}

async function grantTo(grantee_id: string): Promise<string> {
  const on = { resource_type: 'flow', resource_id: flow.id, grant_type: 'user', grantee_id, permissions: ['read'] };
  const { status, body } = await admin.send<{ id: string }>('POST', '/api/v1/access/grant', on);
  expect(status).toBe(201);
  return body.id;
}

/** The client of the docs over the connection that breaks. @param look runs before the next frame is requested */
async function follow(playId: string, fromSeq: number, look?: (frame: PlayFrame) => Promise<void>) {
  const frames: PlayFrame[] = [];
  for await (const frame of followPlay({ base: way.url, token, playId, fromSeq })) {
    frames.push(frame as unknown as PlayFrame);
    await look?.(frame as unknown as PlayFrame);
  }
  return frames;
}

/** Of another flow: where readers of the company's stream begin. */
async function cursorOfNow(): Promise<string> {
  const small = await admin.createFlow({ name: 'Small' });
  await admin.addLayer(small.id, { ref: 'a', appId: 'text-template', args: { template: 'x' } });
  const socket = socketClient<Change>(`${first.url}/api/ws`, { headers: admin.credentials });
  await socket.opened;
  await admin.run(small.id);
  const { cursor } = await socket.waitForFrame(({ ref, state }) => ref === null && state === 'DONE');
  await socket.close();
  return cursor;
}

/** The client of the docs on the stream of the company, over the same connection, until the play has ended. */
async function followCompany(cursor: string, playId: string): Promise<Change[]> {
  const changes: Change[] = [];
  for await (const change of followAll({ base: way.url, token, cursor, select: { flowIds: [flow.id] } })) {
    if (change.playId !== playId) continue;
    changes.push(change);
    if (change.ref === null && change.state === 'DONE') break;
  }
  return changes;
}

/** The object of a frame as a GET returns it now; null if there is nothing to compare. */
async function untold(playId: string, frame: PlayFrame): Promise<string | null> {
  if (frame.type === 'play_complete') {
    const { state } = await admin.play(playId);
    return state === frame.data.final_status ? null : `${state} after ${JSON.stringify(frame)}`;
  }
  if (frame.type !== 'layer_complete' || Number(frame.data.ref.slice(1)) % READ_EVERY > 0) return null;
  const { body } = await admin.send('GET', `/api/v1/plays/${playId}/layers/${frame.data.ref}/out`);
  return JSON.stringify(body) === JSON.stringify(frame.data.output) ? null : `not there: ${JSON.stringify(frame)}`;
}

it('gives each reader every event once and in order over cut sockets, dead gateways and a lost Redis, and nobody else any', async () => {
  const cursor = await cursorOfNow();
  const { playId } = await admin.run(flow.id);
  const early: string[] = [];
  const look = async (frame: PlayFrame) => void early.push(...[(await untold(playId, frame)) ?? []].flat());
  const readers = [follow(playId, 1, look), follow(playId, 1), follow(playId, 300)];
  const everything = followCompany(cursor, playId);
  const somebody = () => waitFor(() => way.cut() > 0, { what: 'a connection to cut', withinMs: 60_000 });
  const cut = Promise.all(CUTS.map((n) => atCall(n, somebody)));
  const stranger = async () => {
    const socket = socketClient(`${second.url}/ws/plays/${playId}`, { headers: neighbour.credentials });
    await socket.closed;
    return [socket.refusedWith(), socket.frames.length];
  };
  const strangers = Promise.all([70, 330].map((n) => atCall(n, stranger)));

  const third = atCall(80, async () => {
    await first.kill();
    way.lead(second.port);
    return add('realtime');
  });
  const revoked = await atCall(140, async () => {
    const watch = () => socketClient(`${second.url}/ws/plays/${playId}`, { headers: outsider.credentials });
    const watcher = watch();
    await watcher.waitForFrame(({ type }) => type === 'layer_complete');
    let code: number | null = null;
    void watcher.closed.then((end) => (code = end.code));
    expect((await admin.send('DELETE', `/api/v1/access/grants/${grantId}`)).status).toBe(204);
    // well within a ping period, which is the limit when the message is lost
    await waitFor(() => code, { what: 'the end of the stream', withinMs: 12_000 });
    const late = watch();
    await late.closed;
    return [code, late.refusedWith(), late.frames.length];
  });
  await atCall(220, () => redis.kill());
  await atCall(250, () => redis.start());
  await atCall(340, async () => {
    way.lead((await third).port);
    await second.kill();
  });

  const [all = [], again = [], part = []] = await Promise.all(readers);
  expect(revoked).toEqual([4403, 403, 0]);
  expect(await strangers).toEqual([
    [404, 0],
    [404, 0],
  ]);
  await cut;
  expect(early).toEqual([]);

  const after = socketClient(`${(await third).url}/ws/plays/${playId}`, { headers: admin.credentials });
  await after.closed;
  expect(after.frames.map(({ seq }) => seq)).toEqual(after.frames.map((_, i) => i + 1));
  expect(after.frames.filter(({ type }) => type === 'layer_complete')).toHaveLength(LAYERS);
  expect(after.frames.findIndex(({ type }) => type === 'play_complete')).toBe(after.frames.length - 1);
  expect(all).toEqual(after.frames);
  expect(again).toEqual(after.frames);
  expect(part).toEqual(after.frames.slice(299));
  const company = (await everything).map(({ seq, ref, state, out }) => [seq, ref, state, out]);
  expect(company).toEqual(asChanges(after.frames));
});
