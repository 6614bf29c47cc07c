import type { FlowView } from '@weft/contracts';
import { ApiClient, waitFor } from '@weft/testing';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';

const { admin, one, servers } = await sharedFleet();

const RECORDS = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `record ${id}`, tags: ['a', 'ü'] }));
const BODY = Buffer.from(JSON.stringify({ records: RECORDS, total: RECORDS.length }));

/** A peer whose answers are larger than anybody wants to hold. */
const peer = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  if (request.url === '/bomb') response.setHeader('content-encoding', 'gzip').end(gzipSync(BODY));
  else response.end(BODY);
});
peer.listen(0, '127.0.0.1');
await once(peer, 'listening');
const url = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`;

const mongo = await new mongoose.mongo.MongoClient(servers.mongodbUri).connect();
const db = mongo.db(servers.mongodbDb);
afterAll(async () => {
  await mongo.close();
  await new Promise((done) => peer.close(done));
});

async function flowOf(settings: object, ...layers: readonly (readonly [ref: string, appId: string, args: object])[]) {
  const flow = await admin.createFlow({ settings });
  for (const [ref, appId, args] of layers) await admin.addLayer(flow.id, { ref, appId, args: { ...args } });
  return flow;
}

async function outOf(flow: FlowView, ref: string, args: Readonly<Record<string, unknown>> = {}) {
  const { playId } = await admin.run(flow.id, { args });
  const play = await admin.waitForPlay(playId);
  return { play, playId, layer: (await admin.layers(playId)).find((layer) => layer.ref === ref) };
}

const storedFor = (playId: string) => db.collection('payloads.files').countDocuments({ 'metadata.playIds': playId });

describe('a response of some megabytes', () => {
  it('is read field by field by the next layer, and whole by who asks for it', async () => {
    const template = '{{ .fetch.json.records[29999].name }}, {{ .fetch.json.total }}, {{ .fetch.statusCode }}';
    const rich = '{{ $count(.fetch.json.records[id > 29990]) }}';
    const flow = await flowOf(
      {},
      ['fetch', 'web-request', { url }],
      ['say', 'text-template', { template }],
      ['count', 'text-template', { template: rich }],
    );
    const { play, playId, layer } = await outOf(flow, 'say');
    expect([play.state, layer?.out]).toEqual(['DONE', { text: 'record 29999, 30000, 200' }]);
    const [fetched, , counted] = await admin.layers(playId);
    expect(counted?.out).toEqual({ text: '9' });

    const shown = fetched?.out as { readonly $ref: string; readonly bytes: number };
    // stored once, although `body` and `json` both read it
    expect(shown.bytes - BODY.byteLength).toBeLessThan(1_000);
    const whole = await admin.send<Record<string, unknown>>('GET', shown.$ref);
    expect(whole.body.json).toEqual({ records: RECORDS, total: RECORDS.length });
    expect(whole.body).toMatchObject({ statusCode: 200, body: BODY.toString() });

    const stored = await db.collection<{ _id: string }>('plays').findOne({ _id: playId });
    expect(JSON.stringify(stored).length).toBeLessThan(5_000);
    expect(await storedFor(playId)).toBe(1);
    expect((await admin.send('DELETE', `/api/v1/plays/${playId}`)).status).toBe(204);
    expect(await storedFor(playId)).toBe(0);
  });

  it('past the limit of its flow fails its layer, also when it grows by decompression, and is never cut', async () => {
    for (const path of ['/', '/bomb']) {
      const flow = await flowOf({ maxOutputBytes: 1_048_576 }, ['fetch', 'web-request', { url: url + path }]);
      const { play, layer, playId } = await outOf(flow, 'fetch');
      expect([play.state, layer?.error?.code, layer?.out]).toEqual(['FAIL', 'output_too_large', null]);
      expect(await storedFor(playId)).toBe(0);
    }
  });
});

describe('args of some hundred kilobytes', () => {
  const args = { list: Array.from({ length: 9_000 }, (_, n) => `item ${n} of many items`), name: 'Ada' };

  it('are read by layers, shown whole, and go with a retry and a rerun; nothing large is in the play or in Redis', async () => {
    const flow = await flowOf(
      {},
      ['hello', 'text-template', { template: '{{ $prev.args.name }} {{ $prev.args.list[8999] }}' }],
      ['break', 'text-template', { template: '{{ $prev.args.missing }}' }],
    );
    const { play, playId, layer } = await outOf(flow, 'hello', args);
    expect([play.state, layer?.out]).toEqual(['FAIL', { text: 'Ada item 8999 of many items' }]);
    expect(play.args).toEqual(args);
    const stored = await db.collection<{ _id: string }>('plays').findOne({ _id: playId });
    expect(JSON.stringify(stored).length).toBeLessThan(5_000);

    for (const again of ['retry', 'rerun']) {
      const made = await admin.send<{ playId: string }>('POST', `/api/v1/plays/${playId}/${again}`, {});
      expect([again, made.status]).toEqual([again, 202]);
      expect(await admin.waitForPlay(made.body.playId)).toMatchObject({ state: 'FAIL', args });
      // it has them also when the first play is gone
      if (again === 'rerun') await admin.send('DELETE', `/api/v1/plays/${playId}`);
      expect((await admin.play(made.body.playId)).args).toEqual(args);
    }
    expect(await redisBytes()).toBeLessThan(100_000);
  });

  it('are compared when their key is used again', async () => {
    const flow = await flowOf({}, ['hello', 'text-template', { template: 'Hello' }]);
    const run = (body: object) => admin.send<{ playId: string }>('POST', `/api/v1/flows/${flow.id}/run`, body);
    const first = await run({ args, idempotencyKey: 'k' });
    const again = await run({ args, idempotencyKey: 'k' });
    expect([again.status, again.body.playId, again.headers['idempotency-mismatch']]).toEqual([
      200,
      first.body.playId,
      undefined,
    ]);
    const other = await run({ args: { ...args, name: 'Eva' }, idempotencyKey: 'k' });
    expect([other.status, other.headers['idempotency-mismatch']]).toEqual([200, 'true']);
    await waitFor(async () => (await storedFor(first.body.playId)) === 1, { what: 'the args to be noted' });
    // those of the refused ones did not stay
    const { company_id } = await admin.must<{ company_id: string }>(200, 'GET', '/api/v1/auth/me');
    const ours = { 'metadata.company_id': company_id };
    const files = db.collection('payloads.files');
    expect(await files.countDocuments(ours)).toBeGreaterThan(0);
    const unnoted = () => files.countDocuments({ ...ours, 'metadata.madeFor': { $exists: true } });
    await waitFor(async () => (await unnoted()) === 0, { what: 'the args of refused runs to go' });
  });

  it('are counted, and so are outputs', async () => {
    const written = async (app: 'api' | 'worker', component: string): Promise<number> => {
      const page = (await new ApiClient(one(app).url).send<string>('GET', '/metrics')).body;
      return Number(new RegExp(`weft_storage_bytes_written\\{component="${component}"\\} (\\d+)`).exec(page)?.[1]);
    };
    expect(await written('api', 'args')).toBeGreaterThan(200_000);
    expect(await written('worker', 'outputs')).toBeGreaterThanOrEqual(BODY.byteLength);
  });
});

/** Of everything that this fleet holds there. */
async function redisBytes(): Promise<number> {
  const redis = new Redis(servers.redisUrl);
  try {
    const keys = await redis.keys(`${servers.queuePrefix}*`);
    const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key)));
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  } finally {
    redis.disconnect();
  }
}
