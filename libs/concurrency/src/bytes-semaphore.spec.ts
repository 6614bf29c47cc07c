import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BytesSemaphore, type BytesPermit } from './bytes-semaphore.js';

const NEVER = new AbortController().signal;

/** A semaphore, of which one company alone gets 100 bytes, and who was admitted, in order. */
function roomOf(bytes = 400) {
  const room = new BytesSemaphore(bytes);
  const inside: string[] = [];
  const enter = async (who: string, size: number, signal = NEVER): Promise<BytesPermit> => {
    const hold = await room.acquire(who.slice(0, 1), size, signal);
    inside.push(who);
    return hold;
  };
  return { enter, inside };
}

/** Everything that fits now has been admitted. */
const settled = () => Promise.resolve().then(() => Promise.resolve());

describe('the room for what is read', () => {
  it('lets nobody in who does not fit, nor who came after that, until others leave or turn out to hold less', async () => {
    const { enter, inside } = roomOf();
    const [a, b] = [await enter('a', 100), await enter('b', 100)];
    await enter('c', 100);
    await enter('d', 80);
    const rest = [enter('e', 50), enter('f', 20)];
    await settled();
    expect(inside).toEqual(['a', 'b', 'c', 'd']);
    a.resize(70);
    await settled();
    expect(inside).toEqual(['a', 'b', 'c', 'd', 'e']);
    b.release();
    await Promise.all(rest);
    expect(inside).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('keeps most of itself free of a company, and its turn for who came first', async () => {
    const { enter, inside } = roomOf();
    const first = await enter('a1', 80);
    const second = enter('a2', 80);
    await enter('b1', 80);
    await settled();
    expect(inside).toEqual(['a1', 'b1']);
    first.release();
    await second;
    expect(inside).toEqual(['a1', 'b1', 'a2']);
  });

  it('lets no smaller one of a company pass one that waits, and holds up no other company', async () => {
    const { enter, inside } = roomOf();
    const first = await enter('a1', 80);
    void enter('a2', 80);
    void enter('a3', 10);
    void enter('b1', 20);
    await settled();
    expect(inside).toEqual(['a1', 'b1']);
    first.release();
    await settled();
    expect(inside).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('gives a company no more than its share, and one that asks for more all of that', async () => {
    const room = new BytesSemaphore(100);
    const held = await room.acquire('a', 1_000, NEVER);
    let isIn = false;
    const next = room.acquire('a', 1, NEVER).then(() => (isIn = true));
    await settled();
    expect(isIn).toBe(false);
    held.release();
    await next;
  });

  it('counts what is left once, and forgets who was cancelled', async () => {
    const { enter, inside } = roomOf();
    const held = await enter('a', 100);
    for (const who of ['b', 'c', 'd']) await enter(who, 100);
    const cancel = new AbortController();
    const waiting = enter('e', 50, cancel.signal);
    cancel.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    await expect(enter('e', 1, cancel.signal)).rejects.toThrow('cancelled');
    held.release();
    held.release();
    await enter('f', 100);
    const last = enter('g', 1);
    await settled();
    expect(inside).toEqual(['a', 'b', 'c', 'd', 'f']);
    void last;
  });

  it('admits a company that holds nothing at once, whatever a dozen others ask for', async () => {
    const one = fc.record({ of: fc.nat(11), size: fc.integer({ min: 1, max: 4 }), leaves: fc.nat(9) });
    const all = fc.array(one, { minLength: 200, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(all, async (steps) => {
        const room = new BytesSemaphore(256);
        const holds: BytesPermit[] = [];
        for (const { of, size, leaves } of steps) {
          if (leaves === 0) holds.shift()?.release();
          else void room.acquire(`company ${of}`, size, NEVER).then((hold) => holds.push(hold));
        }
        await settled();
        let isIn = false;
        void room.acquire('newcomer', 4, NEVER).then(() => (isIn = true));
        await settled();
        expect(isIn).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('gives less to a company while another one has much', async () => {
    const { enter, inside } = roomOf();
    for (let n = 1; n <= 30; n += 1) void enter(`a${n}`, 5);
    for (let n = 1; n <= 30; n += 1) void enter(`b${n}`, 5);
    await settled();
    // a quarter of 400, and a quarter of the 300 that are left
    expect(inside.filter((who) => who.startsWith('a'))).toHaveLength(20);
    expect(inside.filter((who) => who.startsWith('b'))).toHaveLength(15);
  });
});
