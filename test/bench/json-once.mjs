// @ts-check
/**
 * What a JSON answer costs that is stored twice, and once (ADR 103): bytes of a play, also compressed on disk, and CPU of writing and
 * reading.
 *
 *     node tools/node24.mjs test/bench/json-once.mjs
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import mongoose from 'mongoose';
import { startMongod } from '../../tools/servers/index.mjs';

/** @type {Record<"outOf" | "packOut", (value: unknown) => object> & { outputIn: (form: object, content: Buffer) => unknown }} */
const { outOf, outputIn, packOut } = await import(new URL('../../dist/libs/engine/src/index.js', import.meta.url).href);
const { BSON, Binary } = mongoose.mongo;
const PLAYS = 2_000;
const FILES = 400;
const ROUNDS = 2_000;
/** MongoDB writes its files once a minute. */
const CHECKPOINT_MS = 65_000;

/** Records as an API gives them, none like another. @param {number} bytes @param {number} seed */
function answerOf(bytes, seed) {
  const records = [];
  let size = 20;
  let state = seed + 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647);
  while (size < bytes) {
    const record = {
      id: random(),
      email: `person.${random().toString(36)}@example.com`,
      total: (random() % 100_000) / 100,
      paid: random() % 2 === 0,
      tags: ['new', random().toString(36)],
      createdAt: new Date(1_700_000_000_000 + random()).toISOString(),
    };
    size += JSON.stringify(record).length + 1;
    records.push(record);
  }
  const body = JSON.stringify({ data: records });
  const headers = {
    'content-type': 'application/json',
    date: new Date(0).toUTCString(),
    server: 'nginx',
    etag: 'W/"abc"',
  };
  return { statusCode: 200, headers, durationMs: 12, body, json: /** @type {unknown} */ (JSON.parse(body)) };
}

/** Of a call, in microseconds; the best of five. @param {() => unknown} work @param {number} rounds */
function cpuOf(work, rounds) {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i += 1) {
    const from = process.cpuUsage();
    for (let round = 0; round < rounds; round += 1) work();
    const { user, system } = process.cpuUsage(from);
    best = Math.min(best, (user + system) / rounds);
  }
  return best;
}

const folder = await mkdtemp(join(tmpdir(), 'weft-json-once-'));
const mongod = await startMongod({ folder });
const client = await new mongoose.mongo.MongoClient(mongod.uri).connect();
try {
  const db = client.db('json_once');
  /** @param {string} name @param {readonly object[]} documents */
  const insert = async (name, documents) => {
    for (let i = 0; i < documents.length; i += 100) await db.collection(name).insertMany(documents.slice(i, i + 100));
  };
  /** @param {string} name */
  const sizeOf = async (name) => {
    const { count, size, storageSize } = await db.command({ collStats: name });
    return `${Math.round(size / count)} B, on disk ${Math.round(storageSize / count)} B`;
  };
  const answers = Array.from({ length: PLAYS }, (_, seed) => answerOf(4_096, seed));
  const play = (/** @type {object} */ result) => ({ company_id: 'c', flowId: 'f', state: 'DONE', layers: [result] });
  const twice = answers.map((out) => play({ position: 0, ref: 'a', state: 'DONE', out }));
  const once = answers.map((out) => play({ position: 0, ref: 'a', state: 'DONE', ...packOut(out) }));
  const [answer] = answers;
  console.log('4 KB in the play');
  const [before, after] = [twice[0] ?? {}, once[0] ?? {}].map((each) => BSON.serialize(each));
  const read = (/** @type {Uint8Array | undefined} */ bytes) =>
    outOf(BSON.deserialize(bytes ?? new Uint8Array()).layers[0]);
  console.log('  write, twice:', cpuOf(() => BSON.serialize(play({ out: answer })), ROUNDS).toFixed(1), 'µs');
  console.log('  write, once: ', cpuOf(() => BSON.serialize(play(packOut(answer))), ROUNDS).toFixed(1), 'µs');
  console.log('  read, twice: ', cpuOf(() => read(before), ROUNDS).toFixed(1), 'µs');
  console.log('  read, once:  ', cpuOf(() => read(after), ROUNDS).toFixed(1), 'µs');

  const large = Array.from({ length: FILES }, (_, seed) => answerOf(204_800, seed));
  const asText = (/** @type {object} */ out) => Buffer.from(JSON.stringify(out));
  const formOf = (/** @type {ReturnType<typeof answerOf>} */ { body: _body, json: _json, ...rest }) => ({
    outline: JSON.stringify(rest),
    content: /** @type {const} */ ({ body: 'text', json: 'json' }),
    bytes: 1,
  });
  const chunk = (/** @type {Buffer} */ data, form = {}) => ({ n: 0, data: new Binary(data), form });
  console.log('200 KB in the payload store');
  const [one] = large;
  if (!one) throw new Error('there are no answers');
  const [text, body, form] = [asText(one), Buffer.from(one.body), formOf(one)];
  console.log('  read, twice: ', cpuOf(() => JSON.parse(text.toString()), 100).toFixed(0), 'µs');
  console.log('  read, once:  ', cpuOf(() => outputIn(form, body), 100).toFixed(0), 'µs');
  await insert('play_twice', twice);
  await insert('play_once', once);
  await insert(
    'store_twice',
    large.map((out) => chunk(asText(out))),
  );
  await insert(
    'store_once',
    large.map((out) => chunk(Buffer.from(out.body), formOf(out))),
  );
  await rest(CHECKPOINT_MS);
  for (const name of ['play_twice', 'play_once', 'store_twice', 'store_once']) console.log(name, await sizeOf(name));
} finally {
  await client.close();
  await mongod.stop();
  await rm(folder, { recursive: true, force: true });
}
