import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutageRechecks } from './outage-rechecks.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function fixture(count: number) {
  const readers = Array.from({ length: count }, () => ({ recheck: vi.fn(() => Promise.resolve()) }));
  let onGap: () => void = () => undefined;
  const bus = {
    isConnected: true,
    onGap: (listener: () => void) => ((onGap = listener), () => (onGap = () => undefined)),
  };
  const watch = new OutageRechecks(bus, new Set(readers));
  const looks = () => readers.map(({ recheck }) => recheck.mock.calls.length);
  return { bus, watch, looks, tellOfGap: () => onGap() };
}

describe('the readers of a gateway', () => {
  it('are left alone while the bus is heard', () => {
    const { looks } = fixture(3);
    vi.advanceTimersByTime(10_000);
    expect(looks()).toEqual([0, 0, 0]);
  });

  it('are looked at once a second while it is not', () => {
    const { bus, looks } = fixture(3);
    bus.isConnected = false;
    vi.advanceTimersByTime(1_000);
    expect(looks()).toEqual([1, 1, 1]);
    vi.advanceTimersByTime(2_000);
    expect(looks()).toEqual([3, 3, 3]);
  });

  it('take turns where there are very many', () => {
    const { bus, looks } = fixture(1_200);
    bus.isConnected = false;
    vi.advanceTimersByTime(1_000);
    expect(looks().filter((count) => count === 1)).toHaveLength(500);
    vi.advanceTimersByTime(2_000);
    expect(new Set(looks())).toEqual(new Set([1]));
  });

  it('are looked at when the bus is back, for what was missed', () => {
    const { looks, tellOfGap } = fixture(2);
    tellOfGap();
    expect(looks()).toEqual([1, 1]);
  });

  it("are nobody's business after the stop", () => {
    const { bus, watch, looks, tellOfGap } = fixture(2);
    watch.stop();
    bus.isConnected = false;
    tellOfGap();
    vi.advanceTimersByTime(5_000);
    expect(looks()).toEqual([0, 0]);
  });
});
