import { describe, expect, it } from 'vitest';
import { Gathered } from './gathered.js';

function setUp() {
  const batches: (readonly number[])[] = [];
  const errors: unknown[] = [];
  let gate = Promise.withResolvers<void>();
  const gathered = new Gathered<number>({
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
  return { gathered, batches, errors, end, turn };
}

describe('Gathered', () => {
  it('does together what comes in one turn, and what comes meanwhile after it', async () => {
    const { gathered, batches, end, turn } = setUp();
    gathered.add(1);
    gathered.add(2);
    await turn();
    gathered.add(3);
    gathered.add(4);
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
    const { gathered, batches, errors, end, turn } = setUp();
    gathered.add(1);
    await turn();
    end('reject');
    await turn();
    expect(errors).toEqual([['away', [1]]]);
    gathered.add(2);
    await turn();
    expect(batches).toEqual([[1], [2]]);
  });

  it('is settled when all is done that came before, and what came meanwhile', async () => {
    const { gathered, end, turn } = setUp();
    await gathered.settled();
    gathered.add(1);
    let settled = false;
    const settling = gathered.settled().then(() => (settled = true));
    await turn();
    gathered.add(2);
    end();
    await turn();
    expect(settled).toBe(false);
    end();
    await settling;
    expect(settled).toBe(true);
  });
});
