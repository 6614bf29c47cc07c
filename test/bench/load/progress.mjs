// @ts-check
import { request } from 'undici';

/**
 * Follows the target's count of calls, the cheapest sign that plays are being executed.
 *
 * @param {string} targetOrigin
 * @param {(calls: number) => void} onCalls
 * @returns {Promise<() => void>} stops following
 */
export async function followProgress(targetOrigin, onCalls) {
  const { body } = await request(`${targetOrigin}/progress`, { bodyTimeout: 0 });
  body.setEncoding('utf8');
  let rest = '';
  body.on('data', (/** @type {string} */ text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    const last = lines.at(-1);
    if (last !== undefined) onCalls(Number(last));
  });
  body.on('error', () => undefined); // the target ends with the leg
  return () => body.destroy();
}
