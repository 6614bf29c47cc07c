import { describe, expect, it } from 'vitest';
import { CompanyRounds } from './company-rounds.js';

const STEP = 100;

/** How much each company has; a company whose last piece was dealt with begins anew in the next pass. */
function roundsOf(companies: Readonly<Record<string, number>>, { most = 1_000, fails = '' } = {}) {
  const at = new Map<string, number>();
  let asked = 0;
  let pieces: string[] = [];
  const rounds = new CompanyRounds({
    stepSize: STEP,
    most,
    next: (after) => {
      asked += 1;
      const companyId = Object.keys(companies).find((id) => id > after);
      return Promise.resolve(companyId === undefined ? null : { companyId });
    },
    step: ({ companyId }, atMost) => {
      if (companyId === fails) return Promise.reject(new Error('the store is away'));
      const from = at.get(companyId) ?? 0;
      const to = Math.min(from + atMost, companies[companyId] ?? 0);
      for (let i = from; i < to; i += 1) pieces.push(`${companyId}${i}`);
      const more = to < (companies[companyId] ?? 0);
      at.set(companyId, more ? to : 0);
      return Promise.resolve({ did: to - from, more });
    },
  });
  const pass = async (signal?: AbortSignal) => {
    pieces = [];
    const did = await rounds.pass(signal);
    expect(did).toBe(pieces.length);
    return pieces.join(' ');
  };
  const counts = async () => {
    await pass();
    return Object.keys(companies).map((id) => pieces.filter((piece) => piece.startsWith(id)).length);
  };
  return { pass, counts, asked: () => asked };
}

describe('CompanyRounds', () => {
  it('comes to all companies, and begins again', async () => {
    const { pass } = roundsOf({ a: 2, b: 1 });
    expect(await pass()).toBe('a0 a1 b0');
    expect(await pass()).toBe('a0 a1 b0');
    expect(await roundsOf({}).pass()).toBe('');
  });

  it('does not let a company with very much delay the others, and comes to all that it has', async () => {
    const { counts } = roundsOf({ a: 1_350, b: 1, c: 1 }, { most: 300 });
    const passes = [];
    for (let i = 0; i < 5; i += 1) passes.push(await counts());
    expect(passes).toEqual([...Array.from({ length: 4 }, () => [298, 1, 1]), [158, 1, 1]]);
  });

  it('goes on in the next pass where one has no room for all companies', async () => {
    const { pass } = roundsOf({ a: 3, b: 3 }, { most: 2 });
    const passes = [];
    for (let i = 0; i < 4; i += 1) passes.push(await pass());
    expect(passes).toEqual(['a0 a1', 'b0 b1', 'a2 b2', 'a0 a1']);
  });

  it('gives a company the rest of its step first for which there was no room', async () => {
    const { counts } = roundsOf({ a: 1_000, b: 1_000, c: 1_000, d: 1_000 }, { most: 301 });
    const [first, second] = [await counts(), await counts()];
    expect(first).toEqual([100, 100, 100, 1]);
    expect(second[3]).toBeGreaterThanOrEqual(100);
    const sums = [first, second, await counts(), await counts()].reduce((sum, row) =>
      sum.map((n, i) => n + (row[i] ?? 0)),
    );
    expect(Math.max(...sums) - Math.min(...sums)).toBeLessThanOrEqual(2 * STEP);
  });

  it('divides the room that is left among the companies with more', async () => {
    expect(await roundsOf({ a: 1_000, b: 1_000, c: 1 }, { most: 500 }).counts()).toEqual([299, 200, 1]);
  });

  it('goes on with the company after one whose step fails', async () => {
    const { pass } = roundsOf({ a: 1, b: 1, c: 1 }, { fails: 'b' });
    await expect(pass()).rejects.toThrow('the store is away');
    await expect(pass()).rejects.toThrow('the store is away');
    const { pass: other } = roundsOf({ a: 1, c: 1 });
    expect(await other()).toBe('a0 c0');
  });

  it('ends after the step in progress when it is told to', async () => {
    expect(await roundsOf({ a: 1, b: 1 }).pass(AbortSignal.abort())).toBe('');
  });

  it('asks for the next company once for each', async () => {
    const { pass, asked } = roundsOf(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`c${i + 10}`, 2])));
    await pass();
    expect(asked()).toBeLessThanOrEqual(53);
  });
});
