import type { Client } from '@modelcontextprotocol/client';
import type { Play } from '@weft/engine';
import { PLAYS } from '@weft/store';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { liveApi } from '../../../../test/api/live-api.js';
import { agentKey, connectAgent, useTool, type Content } from '../../../../test/api/mcp-agent.js';
import { resultAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { PlayWaits } from './play-waits.js';

const { app, mongo, person } = await liveApi();
const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
const admin = await person('admin');
const play = storedPlays(mongo, admin);
const flowId = await storedFlow(mongo, admin, { greet: 'text-template' });
const token = await agentKey(admin);
const client = await connect(token);
const waits = app.get(PlayWaits, { strict: false });
/** Calls that look for news of a play, by company. */
const { looking: lookingOf } = waits as unknown as { readonly looking: Map<string, number> };
const looking = () => lookingOf.get(admin.scope.companyId) ?? 0;

async function connect(key: string): Promise<Client> {
  const agent = await connectAgent(`http://127.0.0.1:${port}`, key);
  afterAll(() => agent.close());
  return agent;
}

async function endPlay(_id: string): Promise<void> {
  const end = { state: 'DONE', completedAt: new Date(), layers: [resultAt(0, 'greet')], cursor: 1 } as const;
  await mongo.collection<Play>(PLAYS).updateOne({ _id }, { $set: end, $inc: { seq: 1 } });
}

const waitFor = (playId: string, since: number, by = client): Promise<Content> =>
  useTool(by, 'wait_for_play', { playId, since });

describe('a wait for news of a play', () => {
  it('that meets its end has its out', async () => {
    const { _id: playId, seq } = await play(flowId, { state: 'RUN' });
    const waiting = waitFor(playId, seq);
    await expect.poll(looking).toBe(1);
    await endPlay(playId);
    expect(await waiting).toEqual({ playId, state: 'DONE', out: { text: 'greet' }, error: null, seq: seq + 1 });
    expect(looking()).toBe(0);
  });

  it('is answered at once when a hundred of the company wait, and those of another company wait', async () => {
    const { _id: playId, seq } = await play(flowId, { state: 'RUN' });
    lookingOf.set(admin.scope.companyId, 100);
    expect(await waitFor(playId, seq)).toMatchObject({ state: 'RUN', seq });
    const stranger = await person('admin');
    const theirs = await storedPlays(mongo, stranger)(await storedFlow(mongo, stranger), { state: 'RUN' });
    const theirWait = waitFor(theirs._id, theirs.seq, await connect(await agentKey(stranger)));
    await expect.poll(() => lookingOf.get(stranger.scope.companyId)).toBe(1);
    await mongo.collection<Play>(PLAYS).updateOne({ _id: theirs._id }, { $inc: { seq: 1 } });
    expect(await theirWait).toMatchObject({ state: 'RUN', seq: theirs.seq + 1 });
    lookingOf.set(admin.scope.companyId, 99);
    const last = waitFor(playId, seq);
    await expect.poll(looking).toBe(100);
    await endPlay(playId);
    expect(await last).toMatchObject({ state: 'DONE' });
    expect(looking()).toBe(99);
    lookingOf.delete(admin.scope.companyId);
  });

  it('is over when its request is closed', async () => {
    const { _id: playId, seq } = await play(flowId, { state: 'RUN' });
    const gone = new AbortController();
    const call = useTool(client, 'wait_for_play', { playId, since: seq }, gone.signal).catch(() => 'closed');
    await expect.poll(looking).toBe(1);
    gone.abort();
    expect(await call).toBe('closed');
    await expect.poll(looking).toBe(0);
    expect((await mongo.collection<Play>(PLAYS).findOne({ _id: playId }))?.state).toBe('RUN');
  });

  it('is the last call of a key that is revoked meanwhile', async () => {
    const { body } = await admin.send('POST', '/api/v1/admin/api-keys', { body: { name: 'x', scope: 'mcp' } });
    const { token: revoked, id: keyId } = body as unknown as { token: string; id: string };
    const agent = await connect(revoked);
    const { _id: playId, seq } = await play(flowId, { state: 'RUN' });
    const waiting = waitFor(playId, seq, agent);
    await expect.poll(looking).toBe(1);
    expect((await admin.send('DELETE', `/api/v1/admin/api-keys/${keyId}`)).status).toBe(204);
    await endPlay(playId);
    expect(await waiting).toMatchObject({ state: 'DONE' });
    await expect(waitFor(playId, seq, agent)).rejects.toMatchObject({ status: 401 });
  });

  it('ends with the process, and the play is as it was', async () => {
    const { _id: playId, seq } = await play(flowId, { state: 'RUN' });
    const waiting = waitFor(playId, seq);
    await expect.poll(looking).toBe(1);
    await waits.drain();
    expect(await waiting).toMatchObject({ playId, state: 'RUN', seq });
    expect(await waitFor(playId, seq)).toMatchObject({ state: 'RUN' });
  });
});
