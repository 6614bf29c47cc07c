import type { PlayView } from '@weft/contracts';
import type { ApiClient } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany } from './harness/neighbour-company.js';

const fleet = await sharedFleet();
const { admin, servers } = fleet;
const neighbour = await neighbourCompany(fleet);
const client = await mongoose.mongo.MongoClient.connect(servers.mongodbUri, { maxPoolSize: 1 });
afterAll(() => client.close());
const plays = client.db(servers.mongodbDb).collection<{ _id: string }>('plays');

const DOCUMENT_BYTES = 16 * 1024 * 1024;

async function sizeOf(playId: string): Promise<number> {
  const size = [{ $match: { _id: playId } }, { $project: { bytes: { $bsonSize: '$$ROOT' } } }];
  return (await plays.aggregate<{ readonly bytes: number }>(size).next())?.bytes ?? 0;
}

/** Lets the play's document grow until this many bytes are left of its limit. */
async function fillUp(playId: string, leftBytes: number): Promise<void> {
  const pad = 'x'.repeat(DOCUMENT_BYTES - (await sizeOf(playId)) - leftBytes);
  await plays.updateOne({ _id: playId }, { $set: { pad } });
}

async function flowOf(
  company: ApiClient,
  layers: readonly { appId: string; args: object; [field: string]: unknown }[],
) {
  const flow = await company.createFlow();
  for (const [i, layer] of layers.entries())
    await company.addLayer(flow.id, { ref: `l${i}`, ...layer, args: { ...layer.args } });
  return flow.id;
}

const tell = (template: string) => ({ appId: 'text-template', args: { template } });

/** Plays of another company, one after the other, until the work is done: how each of them ended. */
async function besidePlaysOfOthers<T>(work: Promise<T>): Promise<{ result: T; states: readonly string[] }> {
  const flowId = await flowOf(neighbour, [tell('one'), { appId: 'kv', args: { op: 'get', key: 'k' } }, tell('two')]);
  const states: string[] = [];
  let isDone = false;
  const result = work.finally(() => (isDone = true));
  result.catch(() => undefined); // reported at the end
  do states.push((await neighbour.run(flowId, { wait: 20_000 })).state);
  while (!isDone);
  return { result: await result, states };
}

async function ended(flowId: string): Promise<PlayView> {
  return admin.waitForPlay((await admin.run(flowId)).playId, { withinMs: 20_000 });
}

describe('a failure whose message has megabytes', () => {
  it('ends its play, with a short one, and harms nobody', async () => {
    const source = "throw new Error('x'.repeat(6e6))";
    const flowId = await flowOf(admin, [{ appId: 'code', args: { source, timeoutMs: 10_000 }, timeoutMs: 20_000 }]);
    const { result, states } = await besidePlaysOfOthers(ended(flowId));
    expect(result).toMatchObject({ state: 'FAIL', error: { code: 'code_failed', ref: 'l0' } });
    expect(Buffer.byteLength(result.error?.message ?? '')).toBeLessThanOrEqual(4_096);
    expect(new Set(states)).toEqual(new Set(['DONE']));
  });
});

const waitFor = (name: string) => ({ appId: 'wait-event', args: { name } });
const NUMBERS = Array<number>(250_000).fill(1);

describe('answers of half a megabyte', () => {
  it('that come before their layers are kept, however many, and the play stays small', async () => {
    const flowId = await flowOf(
      admin,
      Array.from({ length: 8 }, (_, i) => waitFor(`e${i}`)),
    );
    const { playId } = await admin.run(flowId);
    await admin.waitForPlay(playId, { state: 'WAIT' });
    for (const ref of ['l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'l7'])
      expect((await admin.send('POST', `/api/v1/plays/${playId}/resume`, { ref, payload: NUMBERS })).status).toBe(200);
    expect(await sizeOf(playId)).toBeLessThan(10_000);
    await admin.send('POST', `/api/v1/plays/${playId}/resume`, { ref: 'l0', payload: 'small' });
    expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
    expect((await admin.send('GET', `/api/v1/plays/${playId}/layers/l7/out`)).body).toMatchObject({ payload: NUMBERS });
    expect(await sizeOf(playId)).toBeLessThan(10_000);
  });

  it('reach all plays that wait for an event, and harm no run and no event of others', async () => {
    const flowId = await flowOf(admin, [waitFor('large')]);
    const runs = await Promise.all(Array.from({ length: 60 }, () => admin.run(flowId)));
    for (const { playId } of runs) await admin.waitForPlay(playId, { state: 'WAIT' });
    const event = admin.send<{ matched: number }>('POST', '/api/v1/events', { name: 'large', payload: NUMBERS });
    const { result, states } = await besidePlaysOfOthers(event);
    expect(result).toMatchObject({ status: 202, body: { matched: 60 } });
    for (const { playId } of runs) expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
    expect(new Set(states)).toEqual(new Set(['DONE']));
  });
});

describe('a play that has nearly the size of a document', () => {
  it('FAILs with output_too_large when its next result has no room, and harms nobody', async () => {
    const flowId = await flowOf(admin, [{ appId: 'wait-event', args: { name: 'go' } }, tell('x'.repeat(12_000))]);
    const { playId } = await admin.run(flowId);
    await admin.waitForPlay(playId, { state: 'WAIT' });
    await fillUp(playId, 8_000);
    const resumed = await admin.send('POST', `/api/v1/plays/${playId}/resume`, { ref: 'l0' });
    expect(resumed.status).toBe(200);
    const { result, states } = await besidePlaysOfOthers(admin.waitForPlay(playId, { withinMs: 20_000 }));
    expect(result).toMatchObject({ state: 'FAIL', error: { code: 'output_too_large', ref: 'l1' } });
    expect(new Set(states)).toEqual(new Set(['DONE']));
  });

  it('takes no answer that has no room, and says so', async () => {
    const flowId = await flowOf(admin, [{ appId: 'wait-event', args: { name: 'go' } }]);
    const { playId } = await admin.run(flowId);
    await admin.waitForPlay(playId, { state: 'WAIT' });
    await fillUp(playId, 8_000);
    const answer = await admin.send('POST', `/api/v1/plays/${playId}/resume`, {
      ref: 'l0',
      payload: 'x'.repeat(12_000),
    });
    expect(answer).toMatchObject({ status: 422, body: { code: 'value_too_large' } });
    expect((await admin.send('POST', `/api/v1/plays/${playId}/cancel`)).status).toBe(200);
  });
});
