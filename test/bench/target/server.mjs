// @ts-check
/**
 * The target of the web request, a separate process: answers JSON, and counts the calls per idempotency key.
 *
 * Over IPC: `{ ledger: id }` → `{ ledger: id, calls, distinct, mostCalls }`.
 * `GET /progress` streams the number of calls so far, one line for each change (checked every 4 ms).
 */
import { createServer } from 'node:http';
import { TARGET_PATH, targetAnswer, WEBHOOK_PATH } from '../the-play.mjs';

const PROGRESS_EVERY_MS = 4;
/** How long the answer takes. */
const DELAY_MS = Number(process.env.TARGET_DELAY_MS ?? 0);
const ECHO_PREFIX = `${TARGET_PATH}?n=`;

let calls = 0;
let callsOfRun = new Uint8Array(1 << 20);
/** @type {Set<import('node:http').ServerResponse>} */
const watchers = new Set();

const server = createServer((request, response) => {
  const url = request.url ?? '';
  if (url.startsWith(ECHO_PREFIX)) {
    const n = url.slice(ECHO_PREFIX.length);
    record(Number(n));
    const answer = targetAnswer(n);
    inTime(() => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.end(answer);
    });
  } else if (url === WEBHOOK_PATH) {
    request.resume();
    response.writeHead(204).end();
  } else if (url === '/progress') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write(`${calls}\n`);
    watchers.add(response);
    response.on('close', () => watchers.delete(response));
  } else {
    response.writeHead(404).end();
  }
});
server.keepAliveTimeout = 60_000;

/** @param {() => void} answer */
function inTime(answer) {
  if (DELAY_MS > 0) setTimeout(answer, DELAY_MS);
  else answer();
}

/** @param {number} run */
function record(run) {
  calls += 1;
  if (run >= callsOfRun.length) {
    const larger = new Uint8Array(2 * run);
    larger.set(callsOfRun);
    callsOfRun = larger;
  }
  callsOfRun[run] = Math.min((callsOfRun[run] ?? 0) + 1, 255);
}

let told = 0;
setInterval(() => {
  if (calls === told) return;
  told = calls;
  for (const watcher of watchers) watcher.write(`${calls}\n`);
}, PROGRESS_EVERY_MS);

process.on('message', (/** @type {{ ledger: number }} */ { ledger }) => {
  let distinct = 0;
  let mostCalls = 0;
  for (const count of callsOfRun) {
    if (count > 0) distinct += 1;
    if (count > mostCalls) mostCalls = count;
  }
  process.send?.({ ledger, calls, distinct, mostCalls });
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));

server.listen(0, '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ ready: true, port: address.port });
});
