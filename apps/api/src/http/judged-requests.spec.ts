import { describe, expect, it } from 'vitest';
import { JudgedRequests, MOST_ORDINARY } from '../../../../test/api/worst/judged-requests.js';
import { FREE_KINDS } from '../../../../test/api/worst/worst-values.js';

const TEXT = FREE_KINDS.numbers?.(100_000) ?? '';
const ONE = 1;
/** Four times the ordinary ones that are allowed: what one costs is measured on a busy machine, too. */
const MANY = 4 * MOST_ORDINARY;

/** Answers by working once, many times in one go, or as many times with turns for others; or with a large refusal. */
async function inject({ url }: { readonly url: string }) {
  for (let i = 0; i < (url === '/api/v1/flows' ? ONE : MANY); i += 1) {
    JSON.parse(TEXT);
    if (url === '/in-turns') await new Promise((resolve) => setImmediate(resolve));
    if (url === '/large') break;
  }
  return { statusCode: url === '/large' ? 400 : 200, rawPayload: Buffer.alloc(url === '/large' ? 200_000 : 0) };
}

describe('a request', () => {
  it('that holds the loop, or is refused at length, is found; one that lets others have their turn is not', async () => {
    const judged = new JudgedRequests({ inject } as never, () => Promise.resolve(''));
    const requests = ['/at-once', '/in-turns', '/large'].map((path) => ({
      what: path,
      make: () => ({ method: 'GET', path }),
    }));
    expect(await judged.faultsOf(requests.values())).toEqual([
      expect.stringMatching(/^\/at-once: held the loop as long as [\d.]+ ordinary requests take$/),
      '/large: refused with 200000 bytes',
    ]);
  });
});
