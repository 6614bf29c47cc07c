import { describe, expect, it } from 'vitest';
import { RestingPlays } from './resting-plays.js';

function setUp() {
  let nowMs = 0;
  const resting = new RestingPlays(() => nowMs);
  return { resting, pass: (ms: number) => (nowMs += ms) };
}

describe('RestingPlays', () => {
  it('lets a play rest for longer after each failure, for ten minutes at most', () => {
    const { resting, pass } = setUp();
    const rests: number[] = [];
    for (let failure = 0; failure < 12; failure += 1) {
      resting.failed('p');
      let restMs = 0;
      for (; resting.isResting('p'); pass(1_000)) restMs += 1_000;
      rests.push(restMs);
    }
    expect(rests.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(rests.at(-1)).toBe(600_000);
  });

  it('names those that rest now, and forgets one that was written', () => {
    const { resting, pass } = setUp();
    resting.failed('a');
    resting.failed('b');
    resting.failed('b');
    expect(resting.ids()).toEqual(['a', 'b']);
    pass(1_500);
    expect(resting.ids()).toEqual(['b']);
    resting.written('b');
    expect(resting.ids()).toEqual([]);
    expect(resting.isResting('never seen')).toBe(false);
  });

  it('keeps a bounded number of plays', () => {
    const { resting } = setUp();
    for (let play = 0; play < 10_050; play += 1) resting.failed(String(play));
    expect(resting.ids()).toHaveLength(10_000);
    expect(resting.isResting('0')).toBe(false);
  });
});
