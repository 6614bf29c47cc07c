import type { FlowKey, Reached } from '@weft/persistence';
import { describe, expect, it } from 'vitest';
import { QueueTurns } from './queue-turns.js';

/** MongoDB compares bytes. */
const isGreater = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0;

function isAfter(queue: FlowKey, reached: Reached<FlowKey>): boolean {
  if (!reached || isGreater(queue.companyId, reached.companyId)) return true;
  return queue.companyId === reached.companyId && 'flowId' in reached && isGreater(queue.flowId, reached.flowId);
}

/** Queues of companies: their names, or how many each company has. */
function turnsOf(companies: Readonly<Record<string, number | readonly string[]>>) {
  const queues = Object.entries(companies).flatMap(([companyId, of]) => {
    const names = typeof of === 'number' ? Array.from({ length: of }, (_, i) => String(i).padStart(4, '0')) : of;
    return names.map((flowId): FlowKey => ({ companyId, flowId }));
  });
  queues.sort((a, b) => (isAfter(a, b) ? 1 : -1));
  let reads = 0;
  const turns = new QueueTurns<FlowKey>((reached) => {
    reads += 1;
    return Promise.resolve(queues.find((queue) => isAfter(queue, reached)) ?? null);
  });
  const take = async (most: number) =>
    (await turns.take(most)).map(({ companyId, flowId }) => `${companyId}${Number(flowId)}`).join(' ');
  return { turns, take, reads: () => reads };
}

describe('QueueTurns', () => {
  it('gives all queues, and begins again', async () => {
    const { take } = turnsOf({ a: 2, b: 1 });
    expect(await take(10)).toBe('a0 a1 b0');
    expect(await take(10)).toBe('a0 a1 b0');
    expect(await turnsOf({}).take(10)).toBe('');
  });

  it('does not let a company with many queues delay the others, and comes to all of its queues', async () => {
    const { turns } = turnsOf({ a: 1_350, b: 1, c: 1 });
    const rounds = [];
    for (let pass = 0; pass < 5; pass += 1) rounds.push(await turns.take(300));
    expect(rounds.map((round) => round.length)).toEqual([300, 300, 300, 300, 160]);
    for (const round of rounds) expect(round.filter(({ companyId }) => companyId !== 'a')).toHaveLength(2);
    const ofA = rounds.flat().filter(({ companyId }) => companyId === 'a');
    expect(ofA).toHaveLength(1_350);
    expect(new Set(ofA.map(({ flowId }) => flowId)).size).toBe(1_350);
  });

  it('goes on in the next call where one call has no room for all companies', async () => {
    const { take } = turnsOf({ a: 3, b: 3 });
    expect([await take(2), await take(2), await take(3)]).toEqual(['a0 a1', 'b0 b1', 'a2 b2']);
    expect([await take(4), await take(4)]).toEqual(['a0 a1 a2 b0', 'b1 b2']);
  });

  it('gives a company the rest of its turn first for which there was no room', async () => {
    const { turns } = turnsOf({ a: 1_000, b: 1_000, c: 1_000, d: 1_000 });
    const counts: number[][] = [];
    for (let pass = 0; pass < 4; pass += 1) {
      const round = Object.groupBy(await turns.take(301), ({ companyId }) => companyId);
      counts.push(['a', 'b', 'c', 'd'].map((id) => round[id]?.length ?? 0));
    }
    expect(counts[0]).toEqual([100, 100, 100, 1]);
    expect(counts[1]?.[3]).toBeGreaterThanOrEqual(100);
    const sums = [0, 1, 2, 3].map((i) => counts.reduce((sum, row) => sum + (row[i] ?? 0), 0));
    expect(Math.max(...sums) - Math.min(...sums)).toBeLessThanOrEqual(200);
  });

  it('divides the room that is left among the companies with more queues', async () => {
    const { turns } = turnsOf({ a: 1_000, b: 1_000, c: 1 });
    const round = await turns.take(500);
    const counts = ['a', 'b', 'c'].map((id) => round.filter(({ companyId }) => companyId === id).length);
    expect(counts).toEqual([299, 200, 1]);
  });

  it('goes on after a company whatever the names of its queues are', async () => {
    const last = '\u{10ffff}x';
    const { turns } = turnsOf({ a: ['0', last], b: [last], c: ['0'] });
    const queues = (await turns.take(10)).map(({ companyId, flowId }) => [companyId, flowId]);
    expect(queues).toEqual([
      ['a', '0'],
      ['a', last],
      ['b', last],
      ['c', '0'],
    ]);
  });

  it('reads each queue once', async () => {
    const { turns, reads } = turnsOf(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`c${i}`, 2])));
    expect(await turns.take(1_000)).toHaveLength(100);
    expect(reads()).toBe(101);
  });
});
