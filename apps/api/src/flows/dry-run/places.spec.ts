import { describe, expect, it } from 'vitest';
import { Places } from './places.js';

/** Work that ends when the spec says so; `log` tells who is inside. */
function setUp(max: number, maxWaiting: number) {
  const places = new Places(max, maxWaiting);
  const inside: string[] = [];
  const ends = new Map<string, () => void>();
  const hold = (key: string, name: string) =>
    places.hold(key, async () => {
      inside.push(name);
      await new Promise<void>((end) => ends.set(name, end));
      inside.splice(inside.indexOf(name), 1);
      return name;
    });
  const end = async (name: string, held: Promise<string>): Promise<void> => {
    ends.get(name)?.();
    await held;
    await Promise.resolve();
  };
  return { places, inside, hold, end };
}

describe('Places', () => {
  it('has so many inside at once, one of each key, and passes a key that is busy', async () => {
    const { inside, hold, end } = setUp(2, 5);
    const a1 = hold('a', 'a1');
    const a2 = hold('a', 'a2');
    const b1 = hold('b', 'b1');
    const c1 = hold('c', 'c1');
    await Promise.resolve();
    expect(inside).toEqual(['a1', 'b1']);
    await end('b1', b1);
    expect(inside).toEqual(['a1', 'c1']);
    await end('a1', a1);
    expect(inside).toEqual(['c1', 'a2']);
    await end('c1', c1);
    await end('a2', a2);
    expect(inside).toEqual([]);
  });

  it('refuses who would stand too far back in the line of a key, and nobody else', async () => {
    const { hold, end, inside } = setUp(1, 1);
    const first = hold('a', 'a1');
    const second = hold('a', 'a2');
    await expect(hold('a', 'a3')).rejects.toMatchObject({ code: 'too_many_dry_runs', retryAfterSeconds: 1 });
    const other = hold('b', 'b1');
    await end('a1', first);
    await end('a2', second);
    expect(inside).toEqual(['b1']);
    await end('b1', other);
  });

  it('gives the place on when the work fails', async () => {
    const places = new Places(1, 1);
    await expect(places.hold('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await places.hold('a', async () => 'in')).toBe('in');
  });
});
