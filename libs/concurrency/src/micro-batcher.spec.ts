import { describe, expect, it } from 'vitest';
import { MicroBatcher } from './micro-batcher.js';

function setUp() {
  const batches: (readonly number[])[] = [];
  const errors: unknown[] = [];
  let gate = Promise.withResolvers<void>();
  const batcher = new MicroBatcher<number>({
    flush: (batch) => {
      batches.push(batch);
      return gate.promise;
    },
    onError: (error, batch) => errors.push([error, batch]),
  });
  const end = (how: 'resolve' | 'reject' = 'resolve') => {
    const ended = gate;
    gate = Promise.withResolvers();
    if (how === 'resolve') ended.resolve();
    else ended.reject('away');
  };
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { batcher, batches, errors, end, turn };
}

describe('MicroBatcher', () => {
  it('does together what comes in one turn, and what comes meanwhile after it', async () => {
    const { batcher, batches, end, turn } = setUp();
    batcher.add(1);
    batcher.add(2);
    await turn();
    batcher.add(3);
    batcher.add(4);
    await turn();
    expect(batches).toEqual([[1, 2]]);
    end();
    await turn();
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('tells of a batch that failed, and goes on', async () => {
    const { batcher, batches, errors, end, turn } = setUp();
    batcher.add(1);
    await turn();
    end('reject');
    await turn();
    expect(errors).toEqual([['away', [1]]]);
    batcher.add(2);
    await turn();
    expect(batches).toEqual([[1], [2]]);
  });

  it('is settled when all is done that came before, and what came meanwhile', async () => {
    const { batcher, end, turn } = setUp();
    await batcher.settled();
    batcher.add(1);
    let settled = false;
    const settling = batcher.settled().then(() => (settled = true));
    await turn();
    batcher.add(2);
    end();
    await turn();
    expect(settled).toBe(false);
    end();
    await settling;
    expect(settled).toBe(true);
  });
});
