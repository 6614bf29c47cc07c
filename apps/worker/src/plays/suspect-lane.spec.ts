import { describe, expect, it } from 'vitest';
import { SuspectLane } from './suspect-lane.js';

describe('SuspectLane', () => {
  it('lets one play in at a time, in the order of their coming', async () => {
    const lane = new SuspectLane();
    const log: string[] = [];
    const go = async (name: string) => {
      await lane.enter();
      log.push(`${name} in`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} out`);
      lane.leave();
    };
    await Promise.all([go('a'), go('b'), go('c')]);
    expect(log).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
    await go('d');
    expect(log.at(-1)).toBe('d out');
  });
});
