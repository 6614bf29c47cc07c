import { describe, expect, it } from 'vitest';
import { canReadFirstRetry } from './first-retry.js';

/** Looks for a first retry that can be read from the `nth` time on. */
async function look(nth: number) {
  const pauses: number[] = [];
  let reads = 0;
  const firstRetryOf = () => Promise.resolve((reads += 1) < nth ? null : { _id: 'r', trigger: 'retry' as const });
  const pause = (ms: number) => Promise.resolve(pauses.push(ms));
  const found = await canReadFirstRetry({ _id: 'p', company_id: 'c' }, { firstRetryOf }, pause);
  return { found, reads, waitedMs: pauses.reduce((sum, ms) => sum + ms, 0) };
}

describe('a first retry', () => {
  it('that can be read is not waited for', async () => {
    expect(await look(1)).toEqual({ found: true, reads: 1, waitedMs: 0 });
  });

  it('is waited for while it cannot be read', async () => {
    expect(await look(4)).toMatchObject({ found: true, reads: 4 });
  });

  it('is waited for about a second', async () => {
    const { found, waitedMs } = await look(Infinity);
    expect(found).toBe(false);
    expect(Math.abs(waitedMs - 1_000)).toBeLessThan(100);
  });
});
