import type { FlowKey } from '@weft/persistence';
import { describe, expect, it } from 'vitest';
import { QueueTurns } from './queue-turns.js';

const LAST = '\u{10ffff}';

/** Queues of companies, by how many each has. */
function turnsOf(counts: Readonly<Record<string, number>>) {
  const queues = Object.entries(counts).flatMap(([companyId, count]) =>
    Array.from({ length: count }, (_, i): FlowKey => ({ companyId, flowId: String(i).padStart(3, '0') })),
  );
  const isAfter = (queue: FlowKey, { companyId, flowId }: FlowKey) =>
    queue.companyId > companyId || (queue.companyId === companyId && queue.flowId > flowId);
  const turns = new QueueTurns<FlowKey>(
    (after) => Promise.resolve(queues.find((queue) => !after || isAfter(queue, after)) ?? null),
    (companyId) => ({ companyId, flowId: LAST }),
  );
  const take = async (most: number) =>
    (await turns.take(most)).map(({ companyId, flowId }) => `${companyId}${Number(flowId)}`).join(' ');
  return { turns, take, queues };
}

describe('QueueTurns', () => {
  it('gives all queues, and begins again', async () => {
    const { take } = turnsOf({ a: 2, b: 1 });
    expect(await take(10)).toBe('a0 a1 b0');
    expect(await take(10)).toBe('a0 a1 b0');
    expect(await turnsOf({}).take(10)).toBe('');
  });

  it('does not let a company with many queues delay the others, and comes to all of its queues', async () => {
    const { turns } = turnsOf({ a: 350, b: 1, c: 1 });
    const rounds = [];
    for (let pass = 0; pass < 4; pass += 1) rounds.push(await turns.take(300));
    expect(rounds.map((round) => round.length)).toEqual([102, 102, 102, 52]);
    for (const round of rounds) expect(round.slice(-2).map(({ companyId }) => companyId)).toEqual(['b', 'c']);
    const ofA = rounds.flat().filter(({ companyId }) => companyId === 'a');
    expect(new Set(ofA.map(({ flowId }) => flowId)).size).toBe(350);
  });

  it('goes on in the next call where one call has no room for all companies', async () => {
    const { take } = turnsOf({ a: 3, b: 3 });
    expect([await take(2), await take(2), await take(3)]).toEqual(['a0 a1', 'b0 b1', '']);
    expect([await take(4), await take(4)]).toEqual(['a2 b2', 'a0 a1 a2 b0']);
  });
});
