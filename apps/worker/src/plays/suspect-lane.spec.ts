import { describe, expect, it } from 'vitest';
import { SuspectLane } from './suspect-lane.js';

/** A process with this many seats. `come` returns what happens to a suspect at once. */
function fixture(seats: number) {
  const clock = { now: 0 };
  const lane = new SuspectLane({ seats, now: () => clock.now });
  const inside = new Set<string>();
  const turned = new Set<string>();
  const come = async (name: string, crashes = 1): Promise<'in' | 'waits' | number> => {
    const turn = lane.requestTurn(name, name, crashes);
    if (typeof turn === 'number') return turn;
    void turn.then((entered) => (entered ? inside : turned).add(name));
    await settled();
    return inside.has(name) ? 'in' : 'waits';
  };
  const leave = async (name: string) => {
    inside.delete(name);
    lane.endTurn(name);
    await settled();
  };
  return { lane, clock, inside, turned, come, leave };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const names = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);

describe('SuspectLane', () => {
  it('lets one of a few in at a time, in the order of their coming', async () => {
    const { come, leave, inside } = fixture(9);
    expect(await come('a')).toBe('in');
    expect(await come('b')).toBe('waits');
    expect(await come('c')).toBe('waits');
    await leave('a');
    expect([...inside]).toEqual(['b']);
    await leave('b');
    expect([...inside]).toEqual(['c']);
  });

  it('lets as many in as the root of the number that it knows, and then until the last of them has left', async () => {
    const { come, leave, inside } = fixture(99);
    for (const name of names(26)) await come(name);
    expect(inside.size).toBe(5);
    const ran: string[] = [];
    while (inside.size > 0) {
      const [name = ''] = inside;
      ran.push(name);
      await leave(name);
      expect(inside.size).toBe(Math.min(5, 26 - ran.length));
    }
    expect(ran.toSorted()).toEqual(names(26).toSorted());
    expect(await come('x')).toBe('in');
    expect(await come('y')).toBe('waits');
  });

  it('runs a play on its last chance beside no other suspect', async () => {
    const { come, leave, inside } = fixture(99);
    for (const name of names(16)) await come(name);
    await come('last', 2);
    await come('after');
    for (let left = 16; left > 0; left -= 1) await leave([...inside][0] ?? '');
    expect([...inside]).toEqual(['last']);
    await leave('last');
    expect([...inside]).toEqual(['after']);
  });

  it('has no more of them wait in slots than it has seats, and the others come again', async () => {
    const { come, leave, inside, clock } = fixture(1);
    expect([await come('a'), await come('b')]).toEqual(['in', 'waits']);
    const again = await come('c');
    expect(again).toBeGreaterThanOrEqual(500);
    expect(again).toBeLessThan(1_000);
    for (const name of ['a', 'b']) await leave(name);
    expect(inside.size).toBe(0);
    clock.now = Number(again);
    expect(await come('c')).toBe('in');
  });

  it('counts those that gave their jobs back among those that it knows', async () => {
    const { come, inside } = fixture(0);
    await come('a');
    for (const name of names(8)) await come(name);
    await come('b');
    // three of nine
    expect([...inside]).toEqual(['a', 'p7', 'b']);
  });

  it('sends one away that is told to look again, and forgets it', async () => {
    const { lane, come, leave, inside, turned } = fixture(9);
    await come('a');
    await come('b');
    await come('c');
    lane.cancelRequest('b');
    await settled();
    expect([...turned]).toEqual(['b']);
    await leave('a');
    expect([...inside]).toEqual(['c']);
    lane.endTurn('b');
    expect(await come('d')).toBe('waits');
  });
});
