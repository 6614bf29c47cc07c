import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProgressThrottle } from './progress-throttle.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function teller() {
  const told: string[] = [];
  return { told, teller: new ProgressThrottle((percent, status) => told.push(`${percent} ${status}`)) };
}

describe('what a layer tells of its progress', () => {
  it('is told once a second, always the latest', () => {
    const { told, teller: one } = teller();
    for (let ms = 0; ms < 3_400; ms += 10) {
      one.report(ms / 34, `at ${ms}`);
      vi.advanceTimersByTime(10);
    }
    expect(told).toEqual(['8 at 290', '37 at 1290', '67 at 2290', '96 at 3290']);
  });

  it('is not told of a layer that ends soon, nor after its end', () => {
    const { told, teller: one } = teller();
    one.report(10, 'begun');
    vi.advanceTimersByTime(299);
    one.end();
    one.report(20, 'late');
    vi.advanceTimersByTime(5_000);
    expect(told).toEqual([]);
  });

  it('stays within 0 and 100, is whole, and does not fall', () => {
    const { told, teller: one } = teller();
    for (const percent of [-5, 33.9, 12, Number.NaN, 250]) {
      one.report(percent, 'x'.repeat(300));
      vi.advanceTimersByTime(1_000);
    }
    expect(told.map((line) => line.split(' ')[0])).toEqual(['0', '33', '33', '100']);
    expect(told[0]).toHaveLength('0 '.length + 200);
  });
});
