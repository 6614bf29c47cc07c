import type { FlowKey } from '@weft/persistence';
import { describe, expect, it } from 'vitest';
import { QueueWalk } from './queue-walk.js';

const flows = ['a', 'b', 'c', 'd', 'e'].map((flowId): FlowKey => ({ companyId: 'c', flowId }));
const next = (after: FlowKey | null) =>
  Promise.resolve(flows.find(({ flowId }) => flowId > (after?.flowId ?? '')) ?? null);

describe('QueueWalk', () => {
  it('comes by every flow, some in a pass, and begins anew', async () => {
    const healed: string[] = [];
    const walk = new QueueWalk(next, ({ flowId }) => Promise.resolve(void healed.push(flowId)), 2);
    const counts = [];
    for (let pass = 0; pass < 4; pass += 1) counts.push(await walk.pass());
    expect(counts).toEqual([2, 2, 1, 2]);
    expect(healed.join('')).toBe('abcdeab');
  });

  it('goes on behind a flow that cannot be healed', async () => {
    const healed: string[] = [];
    const walk = new QueueWalk(next, ({ flowId }) => {
      healed.push(flowId);
      return flowId === 'b' ? Promise.reject(new Error('away')) : Promise.resolve();
    });
    await expect(walk.pass()).rejects.toThrow('away');
    await walk.pass();
    expect(healed.join('')).toBe('abcde');
  });
});
