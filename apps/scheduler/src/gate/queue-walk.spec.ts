import type { FlowKey } from '@weft/persistence';
import { describe, expect, it, vi } from 'vitest';
import { QueueWalk } from './queue-walk.js';

const flows = ['a', 'b', 'c', 'd', 'e'].map((flowId): FlowKey => ({ companyId: 'c', flowId }));
const next = (after: FlowKey | null) =>
  Promise.resolve(flows.find(({ flowId }) => flowId > (after?.flowId ?? '')) ?? null);

describe('QueueWalk', () => {
  it('comes by every flow, some in a pass, and begins anew', async () => {
    const healed: string[] = [];
    const walk = new QueueWalk(next, ({ flowId }) => Promise.resolve(void healed.push(flowId)), vi.fn(), 2);
    const counts = [];
    for (let pass = 0; pass < 4; pass += 1) counts.push(await walk.pass());
    expect(counts).toEqual([2, 2, 1, 2]);
    expect(healed.join('')).toBe('abcdeab');
  });

  it('comes by hundreds of flows in a pass, also while some of them take long', async () => {
    const many = Array.from({ length: 600 }, (_, i): FlowKey => ({
      companyId: 'c',
      flowId: String(i).padStart(4, '0'),
    }));
    const healed: string[] = [];
    const slow = Promise.withResolvers<undefined>();
    const walk = new QueueWalk(
      (after: FlowKey | null) => Promise.resolve(many.find(({ flowId }) => flowId > (after?.flowId ?? '')) ?? null),
      async ({ flowId }) => {
        if (flowId < '0004') await slow.promise;
        healed.push(flowId);
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
    const heal = ({ flowId }: FlowKey) => {
      healed.push(flowId);
      return flowId === 'b' ? Promise.reject(new Error('no room')) : Promise.resolve();
    };
    const walk = new QueueWalk(next, heal, (error) => faults.push(error));
    await walk.pass();
    expect(healed.join('')).toBe('abcde');
    expect(faults).toEqual([new Error('no room')]);
  });
});
