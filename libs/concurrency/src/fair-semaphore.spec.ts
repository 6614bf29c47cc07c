import { describe, expect, it } from 'vitest';
import { FairSemaphore } from './fair-semaphore.js';

function setUp(atOnce: number) {
  const semaphore = new FairSemaphore(atOnce);
  const admitted: string[] = [];
  const releases = new Map<string, () => void>();
  const enter = (company: string, name: string): void => {
    void semaphore.acquire(company).then((release) => {
      admitted.push(name);
      releases.set(name, release);
    });
  };
  const settled = () => new Promise(setImmediate);
  const leave = async (name: string): Promise<void> => {
    releases.get(name)?.();
    await settled();
  };
  return { admitted, enter, leave, settled };
}

describe('FairSemaphore', () => {
  it('admits as many as it has places, then companies in turns', async () => {
    const { admitted, enter, leave, settled } = setUp(2);
    for (const name of ['a1', 'a2', 'a3', 'a4']) enter('a', name);
    enter('b', 'b1');
    await settled();
    expect(admitted).toEqual(['a1', 'a2']);
    for (const name of ['a1', 'a2', 'a3']) await leave(name);
    expect(admitted).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
  });

  it('has its places again when nobody waits', async () => {
    const { admitted, enter, leave, settled } = setUp(1);
    enter('a', 'a1');
    await settled();
    await leave('a1');
    enter('b', 'b1');
    enter('a', 'a2');
    await settled();
    expect(admitted).toEqual(['a1', 'b1']);
  });
});
