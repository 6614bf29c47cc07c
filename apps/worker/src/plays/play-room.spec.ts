import { BytesSemaphore } from '@weft/concurrency';
import { describe, expect, it } from 'vitest';
import { LARGE_PLAYS_BYTES, PlayRoom } from './play-room.js';

const MIB = 1024 * 1024;
const isDone = async (waits: Promise<unknown>) => {
  const soon = new Promise((resolve) => setImmediate(resolve, 'waits'));
  return (await Promise.race([waits.then(() => 'done'), soon])) === 'done';
};

describe('the room of large plays', () => {
  it('is a quarter of all for a company that is alone, less beside others, who begin at once', async () => {
    const memory = new BytesSemaphore(LARGE_PLAYS_BYTES);
    const of = (company: string) => new PlayRoom(memory, company);
    const rooms = Array.from({ length: 3 }, () => of('a'));
    const taken = rooms.map((room) => room.take(16 * MIB));
    expect(await Promise.all(taken.map(isDone))).toEqual([true, true, false]);
    expect(await isDone(of('b').take(16 * MIB))).toBe(true);
    rooms.slice(0, 2).forEach((room) => room.release());
    expect(await isDone(taken[2] as Promise<void>)).toBe(true);
  });

  it('counts what a play has more later, and is free when it has ended, however often that is said', async () => {
    const memory = new BytesSemaphore(40 * MIB);
    const [first, second] = [new PlayRoom(memory, 'a'), new PlayRoom(memory, 'b')];
    await first.take(5 * MIB);
    first.grow(36 * MIB);
    const waits = second.take(5 * MIB);
    expect(await isDone(waits)).toBe(false);
    first.release();
    first.release();
    expect(await isDone(waits)).toBe(true);
  });

  it('is taken once by a play that is read again, as when MongoDB was away', async () => {
    const memory = new BytesSemaphore(4 * MIB);
    const room = new PlayRoom(memory, 'a');
    await room.take(MIB);
    expect(await isDone(room.take(MIB))).toBe(true);
    room.release();
    expect(await isDone(new PlayRoom(memory, 'a').take(MIB))).toBe(true);
  });

  it('is not waited for by a play that is handed back, which takes none of it', async () => {
    const memory = new BytesSemaphore(4 * MIB);
    const [first, second, third] = ['a', 'b', 'c'].map((company) => new PlayRoom(memory, company));
    await first?.take(MIB);
    first?.grow(4 * MIB);
    const waits = second?.take(MIB);
    second?.waitNoMore();
    await waits;
    second?.release();
    const next = third?.take(MIB) as Promise<void>;
    expect(await isDone(next)).toBe(false);
    first?.release();
    expect(await isDone(next)).toBe(true);
  });
});
