import { describe, expect, it } from 'vitest';
import { BytesSemaphore, type BytesPermit } from './bytes-semaphore.js';

const NEVER = new AbortController().signal;

/** A semaphore of 100 bytes, and who was admitted, in order. */
function roomOf(bytes = 100) {
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
  it('lets nobody in who does not fit, until others leave or turn out to hold less', async () => {
    const { enter, inside } = roomOf();
    const [a, b] = [await enter('a', 50), await enter('b', 50)];
    const rest = [enter('c', 30), enter('d', 30)];
    await settled();
    expect(inside).toEqual(['a', 'b']);
    a.resize(20);
    await settled();
    expect(inside).toEqual(['a', 'b', 'c']);
    b.release();
    await Promise.all(rest);
    expect(inside).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keeps half of itself free of a company, and its turn for who came first', async () => {
    const { enter, inside } = roomOf();
    const first = await enter('a1', 40);
    const second = enter('a2', 40);
    await enter('b1', 40);
    await settled();
    expect(inside).toEqual(['a1', 'b1']);
    first.release();
    await second;
    expect(inside).toEqual(['a1', 'b1', 'a2']);
  });

  it('lets no smaller one of a company pass one that waits, and holds up no other company', async () => {
    const { enter, inside } = roomOf();
    const first = await enter('a1', 40);
    void enter('a2', 40);
    void enter('a3', 10);
    void enter('b1', 10);
    await settled();
    expect(inside).toEqual(['a1', 'b1']);
    first.release();
    await settled();
    expect(inside).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('gives a company no more than its share, and one that asks for more all of that', async () => {
    const room = new BytesSemaphore(100, 4);
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
    const held = await enter('a', 50);
    await enter('b', 50);
    const cancel = new AbortController();
    const waiting = enter('c', 50, cancel.signal);
    cancel.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    await expect(enter('c', 1, cancel.signal)).rejects.toThrow('cancelled');
    held.release();
    held.release();
    await enter('d', 50);
    const last = enter('e', 1);
    await settled();
    expect(inside).toEqual(['a', 'b', 'd']);
    void last;
  });
});
