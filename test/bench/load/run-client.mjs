// @ts-check
import { Pool } from 'undici';

/**
 * Posts runs over keep-alive connections, one request at a time on each.
 *
 * @param {{ origin: string, path: string, headers: Record<string, string> }} request
 * @param {number | null} connections null: as many as it takes, so that a request never waits for a connection
 */
export function createRunClient({ origin, path, headers }, connections) {
  const pool = new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: 60_000 });
  const flatHeaders = Object.entries({ ...headers, 'content-type': 'application/json' }).flat();

  /**
   * @param {number} n the run's only argument
   * @returns {Promise<{ status: number, body: string }>}
   */
  function run(n) {
    return new Promise((resolve, reject) => {
      let status = 0;
      let body = '';
      pool.dispatch(
        { path, method: 'POST', headers: flatHeaders, body: `{"args":{"n":${n}}}` },
        {
          onRequestStart() {},
          onResponseStart(_controller, received) {
            status = received;
          },
          onResponseData(_controller, chunk) {
            body += String(chunk);
          },
          onResponseEnd() {
            resolve({ status, body });
          },
          onResponseError(_controller, error) {
            reject(error);
          },
        },
      );
    });
  }

  return { run, close: () => pool.destroy() };
}
