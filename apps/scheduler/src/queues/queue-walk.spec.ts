import type { QueueKey, Reached } from '@weft/store';
import { describe, expect, it, vi } from 'vitest';
import { QueueWalk } from './queue-walk.js';

const flows = ['a', 'b', 'c', 'd', 'e'].map((queue): QueueKey => ({ companyId: 'c', queue }));
/** The next one of these, in their order. */
const walkOver = (queues: readonly QueueKey[]) => (reached: Reached<QueueKey>) =>
  Promise.resolve(
    queues.find(
      ({ companyId, queue }) =>
        !reached ||
        companyId > reached.companyId ||
        (companyId === reached.companyId && 'queue' in reached && queue > reached.queue),
    ) ?? null,
  );
const next = walkOver(flows);

describe('QueueWalk', () => {
  it('comes by every flow, some in a pass, and begins anew', async () => {
    const healed: string[] = [];
    const walk = new QueueWalk(next, ({ queue }) => Promise.resolve(void healed.push(queue)), vi.fn(), { most: 2 });
    const counts = [];
    for (let pass = 0; pass < 4; pass += 1) counts.push(await walk.pass());
    expect(counts).toEqual([2, 2, 1, 2]);
    expect(healed.join('')).toBe('abcdeab');
  });

  it('comes by hundreds of flows in a pass, also while some of them take long', async () => {
    const many = Array.from({ length: 600 }, (_, i): QueueKey => ({
      companyId: 'c',
      queue: String(i).padStart(4, '0'),
    }));
    const healed: string[] = [];
    const slow = Promise.withResolvers<undefined>();
    const walk = new QueueWalk(
      walkOver(many),
      async ({ queue }) => {
        if (queue < '0004') await slow.promise;
        healed.push(queue);
        if (healed.length === 596) slow.resolve(undefined);
      },
      vi.fn(),
    );
    expect(await walk.pass()).toBe(600);
    expect(new Set(healed).size).toBe(600);
  });

  it('comes by all others in the pass in which one cannot be healed', async () => {
    const healed: string[] = [];
    const faults: unknown[] = [];
    const heal = ({ queue }: QueueKey) => {
      healed.push(queue);
      return queue === 'b' ? Promise.reject(new Error('no room')) : Promise.resolve();
    };
    const walk = new QueueWalk(next, heal, (error) => faults.push(error));
    await walk.pass();
    expect(healed.join('')).toBe('abcde');
    expect(faults).toEqual([new Error('no room')]);
  });

  it('comes by the queues of other companies in each pass, however many one company has', async () => {
    const many = Array.from({ length: 3_000 }, (_, i) => ({ companyId: 'a', queue: String(i).padStart(4, '0') }));
    const few = [
      { companyId: 'b', queue: 'x' },
      { companyId: 'c', queue: 'y' },
    ];
    const healed: string[] = [];
    const heal = ({ companyId }: QueueKey) => Promise.resolve(void healed.push(companyId));
    const walk = new QueueWalk(walkOver([...many, ...few]), heal, vi.fn());
    for (let pass = 1; pass <= 3; pass += 1) {
      await walk.pass();
      expect(['b', 'c'].map((id) => healed.filter((healedId) => healedId === id).length)).toEqual([pass, pass]);
    }
    expect(healed.filter((id) => id === 'a')).toHaveLength(3 * 998);
  });

  it('heals only those that need it, asked for in one go', async () => {
    const healed: string[] = [];
    const select = vi.fn((some: readonly QueueKey[]) => Promise.resolve(some.filter(({ queue }) => queue > 'c')));
    const heal = ({ queue }: QueueKey) => Promise.resolve(void healed.push(queue));
    const walk = new QueueWalk(next, heal, vi.fn(), { most: 4, select });
    expect(await walk.pass()).toBe(4);
    expect([healed.join(''), select.mock.calls.length]).toEqual(['d', 1]);
  });
});
