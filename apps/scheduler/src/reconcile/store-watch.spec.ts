import { describe, expect, it } from 'vitest';
import { StoreWatch } from './store-watch.js';

describe('StoreWatch', () => {
  it('counts how long MongoDB has answered', () => {
    const watch = new StoreWatch(4_000);
    expect(watch.steadyForMs(0)).toBe(0);
    for (let at = 1_000; at <= 10_000; at += 1_000) watch.answered(at);
    expect(watch.steadyForMs(10_500)).toBe(9_500);
  });

  it('begins anew after a failure', () => {
    const watch = new StoreWatch(4_000);
    watch.answered(1_000);
    watch.answered(3_000);
    watch.failed();
    expect(watch.steadyForMs(3_500)).toBe(0);
    watch.answered(4_000);
    expect(watch.steadyForMs(5_000)).toBe(1_000);
  });

  it('begins anew after a silence, such as this process frozen', () => {
    const watch = new StoreWatch(4_000);
    watch.answered(1_000);
    watch.answered(2_000);
    expect(watch.steadyForMs(20_000)).toBe(0);
    watch.answered(20_000);
    expect(watch.steadyForMs(20_000)).toBe(0);
    watch.answered(22_000);
    expect(watch.steadyForMs(22_000)).toBe(2_000);
  });
});
