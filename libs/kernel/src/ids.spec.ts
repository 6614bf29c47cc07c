import { describe, expect, it } from 'vitest';
import { createIdSource, idBefore, idFromBits, idsFrom, isId, lastIdAt } from './ids.js';

describe('ids', () => {
  it('sort by the time of their making, also within one millisecond', () => {
    let now = 1_700_000_000_000;
    const newId = createIdSource(() => now, 7);
    const ids = Array.from({ length: 1_000 }, (_, i) => {
      if (i % 100 === 0) now += 1;
      return newId();
    });
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('keep rising when the clock falls back and when one millisecond is used up', () => {
    let now = 1_700_000_000_000;
    const newId = createIdSource(() => now, 7);
    const before = newId();
    now -= 60_000;
    let last = before;
    for (let i = 0; i < 70_000; i += 1) {
      const id = newId();
      if (id <= last) throw new Error(`${id} after ${last}`);
      last = id;
    }
    expect(last > before).toBe(true);
  });

  it('have 20 characters and tell ids from other texts', () => {
    const id = createIdSource(() => 1_700_000_000_000, 0xffffffff)();
    expect(isId(id)).toBe(true);
    expect(isId(id.toUpperCase())).toBe(false);
    expect(isId(`${id}0`)).toBe(false);
    expect(isId('../../etc/passwd')).toBe(false);
    expect(isId(idFromBits(0xffffffffffffffffffffffffn))).toBe(true);
  });

  it('of one maker follow from the first', () => {
    const newId = createIdSource(() => 1_700_000_000_000, 0xffffffff);
    const all = Array.from({ length: 500 }, () => newId());
    expect(idsFrom(all[0] ?? '', 500)).toEqual(all);
  });

  it('give bounds in time', () => {
    const at = (ms: number) => createIdSource(() => ms, 0x80000000)();
    const t = 1_700_000_000_000;
    expect(idBefore(at(t), 200) <= at(t - 200)).toBe(true);
    expect(idBefore(at(t), 200) > at(t - 201)).toBe(true);
    expect(lastIdAt(t) >= at(t)).toBe(true);
    expect(lastIdAt(t) < at(t + 1)).toBe(true);
  });
});
