// @ts-check
import { Pool } from 'undici';

/** @type {Map<string, Pool>} */
const pools = new Map();

/**
 * GET, with the whole answer in memory: the output of the product's web-request layer.
 *
 * @param {string} url
 * @param {string} idempotencyKey
 * @returns {Promise<{ statusCode: number, body: string, headers: Record<string, string>, json: any, durationMs: number }>}
 */
export function webRequest(url, idempotencyKey) {
  const { origin, pathname, search } = new URL(url);
  let pool = pools.get(origin);
  if (pool === undefined) {
    pool = new Pool(origin, { connections: 100, pipelining: 1, bodyTimeout: 0, headersTimeout: 30_000 });
    pools.set(origin, pool);
  }
  const started = performance.now();
  return new Promise((resolve, reject) => {
    let statusCode = 0;
    /** @type {Record<string, string>} */
    let headers = {};
    /** @type {Buffer[]} */
    const chunks = [];
    pool.dispatch(
      { path: pathname + search, method: 'GET', headers: ['idempotency-key', idempotencyKey, 'user-agent', 'floor'] },
      {
        onRequestStart() {},
        onResponseStart(_controller, status, received) {
          statusCode = status;
          headers = /** @type {Record<string, string>} */ (received);
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          const body = chunks.length === 1 ? String(chunks[0]) : String(Buffer.concat(chunks));
          resolve({ statusCode, body, headers, json: JSON.parse(body), durationMs: performance.now() - started });
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      },
    );
  });
}

export async function closePools() {
  for (const pool of pools.values()) await pool.close();
}
