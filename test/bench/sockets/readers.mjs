// @ts-check
/**
 * A process that reads many companies' streams. For the frame that ends a play, it records how long after its stored
 * time, and how long after the notice of its write, it arrived.
 */
import { Redis } from 'ioredis';
import { WebSocket } from 'ws';
import { percentiles } from '../load/tally.mjs';

const AT_ONCE = 50;

/** @type {WebSocket[]} */
const sockets = [];
/** @type {Map<string, number>} when the last notice of a play came */
const noticed = new Map();
let messages = 0;
let bytes = 0;
/** @type {number[]} */
let fromStored = [];
/** @type {number[]} */
let fromNotice = [];

const epochMs = () => performance.timeOrigin + performance.now();

/** @param {Buffer} data */
function read(data) {
  const now = epochMs();
  messages += 1;
  bytes += data.byteLength;
  if (!data.includes('"ref":null')) return;
  const { playId, state, timestamp } = JSON.parse(data.toString());
  if (state !== 'DONE') return;
  fromStored.push(now - Date.parse(timestamp));
  const noticedAt = noticed.get(playId);
  if (noticedAt !== undefined) fromNotice.push(now - noticedAt);
}

/** @param {{ url: string, cookie: string }} place @param {boolean} stuck reads nothing */
function open({ url, cookie }, stuck) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers: { cookie }, perMessageDeflate: false });
    sockets.push(socket);
    socket.on('error', reject);
    socket.on('open', () => {
      if (stuck) socket.pause();
      resolve(undefined);
    });
    if (!stuck) socket.on('message', read);
  });
}

/** @param {{ places: { url: string, cookie: string }[], stuck: boolean }} order */
async function openAll({ places, stuck }) {
  for (let i = 0; i < places.length; i += AT_ONCE) {
    await Promise.all(places.slice(i, i + AT_ONCE).map((place) => open(place, stuck)));
  }
}

/** @param {{ redisUrl: string, prefix: string }} where */
async function listen({ redisUrl, prefix }) {
  const redis = new Redis(redisUrl);
  redis.on('pmessage', (_pattern, _channel, message) => {
    const now = epochMs();
    for (const [playId] of JSON.parse(message)) noticed.set(playId, now);
  });
  await redis.psubscribe(`${prefix}:plays:*`);
}

process.on('message', (/** @type {any} */ order) => {
  const done = (/** @type {object} */ answer = {}) => process.send?.({ done: order.n, ...answer });
  const fail = (/** @type {unknown} */ error) => process.send?.({ done: order.n, error: String(error) });
  if (order.listen) listen(order.listen).then(() => done(), fail);
  if (order.open) openAll(order.open).then(() => done(), fail);
  if (order.begin) {
    messages = bytes = 0;
    fromStored = [];
    fromNotice = [];
    noticed.clear();
    done();
  }
  if (order.end) {
    const closed = sockets.filter(({ readyState }) => readyState !== WebSocket.OPEN).length;
    done({ messages, bytes, closed, stored: percentiles(fromStored), notice: percentiles(fromNotice) });
  }
});
process.send?.({ ready: true });
