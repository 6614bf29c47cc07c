import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

import { drainAll, within } from './drain.js';
import type { Drainable } from '@weft/kernel';

const log = pino({ level: 'silent' });

function part(name: string, told: string[], drainOrder?: number): Drainable {
  return {
    ...(drainOrder === undefined ? {} : { drainOrder }),
    drain: () => {
      told.push(name);
      return Promise.resolve();
    },
  };
}

describe('drainAll', () => {
  it('asks lower orders first, and 0 where none is given', async () => {
    const told: string[] = [];
    await drainAll([part('last', told, 10), part('none', told), part('first', told, -1)], 1_000, log);
    expect(told).toEqual(['first', 'none', 'last']);
  });

  it('gives the next their turn when one hangs until the deadline or fails', async () => {
    const told: string[] = [];
    const hanging: Drainable = { drain: () => new Promise(() => undefined) };
    const failing: Drainable = { drain: () => Promise.reject(new Error('no')) };
    await drainAll([hanging, failing, part('next', told, 1)], 30, log);
    expect(told).toEqual(['next']);
  });

  it('tells each how much time is left', async () => {
    const left: number[] = [];
    const asking = (drainOrder: number): Drainable => ({
      drainOrder,
      drain: (deadlineMs) => {
        left.push(deadlineMs);
        return Promise.resolve();
      },
    });
    await drainAll([asking(0), asking(1)], 5_000, log);
    expect(left[0]).toBeLessThanOrEqual(5_000);
    expect(left[1]).toBeLessThanOrEqual(left[0] as number);
    expect(left[1]).toBeGreaterThan(0);
  });
});

describe('within', () => {
  it('says whether the work was done in time', async () => {
    expect(await within(Promise.resolve(), 1_000)).toBe(true);
    expect(await within(new Promise(() => undefined), 1)).toBe(false);
  });

  it('passes a failure on', async () => {
    await expect(within(Promise.reject(new Error('broken')), 1_000)).rejects.toThrow('broken');
  });
});
