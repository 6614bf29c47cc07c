import { describe, expect, it } from 'vitest';
import { DryRunQueue, type DryRunQueueOptions } from './dry-run-queue.js';

/** Work that ends when the spec says so; `inside` tells who is at work, in the order of coming. */
function setUp(options: Partial<DryRunQueueOptions> = {}) {
  const places = new DryRunQueue({ concurrency: 1, requestsPerCompany: 20, ...options });
  const inside: string[] = [];
  const ends = new Map<string, () => void>();
  /** A request with one piece for each name. */
  const request = (company: string, ...names: readonly string[]) =>
    places.run(company, async (takeTurn) => {
      for (const name of names) {
        await takeTurn(async () => {
          inside.push(name);
          await new Promise<void>((end) => ends.set(name, end));
          inside.splice(inside.indexOf(name), 1);
        });
      }
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await settled();
  };
  return { places, inside, request, end };
}

/** Promises that follow each other have been heard of. */
const settled = () => new Promise<void>((done) => setImmediate(done));

describe('DryRunQueue', () => {
  it('has so many inside at once, one of each company, and passes a company that is busy', async () => {
    const { inside, request, end } = setUp({ concurrency: 2 });
    const all = [request('a', 'a1'), request('a', 'a2'), request('b', 'b1'), request('c', 'c1')];
    await settled();
    expect(inside).toEqual(['a1', 'b1']);
    await end('b1');
    expect(inside).toEqual(['a1', 'c1']);
    await end('c1');
    expect(inside).toEqual(['a1']);
    await end('a1');
    expect(inside).toEqual(['a2']);
    await end('a2');
    await Promise.all(all);
    expect(inside).toEqual([]);
  });

  it('lets a company in after a turn of each other one, however many requests and test cases they have in line', async () => {
    let nowMs = 0;
    const { inside, request, end } = setUp({ nowMs: () => nowMs });
    const cases = Array.from({ length: 30 }, (_, i) => i);
    for (const company of ['b', 'c']) {
      for (let i = 0; i < 11; i += 1) void request(company, ...cases.map((n) => `${company}${i}.${n}`));
    }
    await settled();
    const turnsOfOthers: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const name = `a${turn}`;
      const answer = request('a', name);
      let others = 0;
      for (await settled(); inside[0] !== name; others += 1) {
        nowMs += 5_000;
        await end(inside[0] ?? '');
      }
      turnsOfOthers.push(others);
      nowMs += 5_000;
      await end(name);
      await answer;
    }
    expect(Math.max(...turnsOfOthers)).toBeLessThanOrEqual(2);
  });

  it('keeps nobody waiting for those that have lasted, as far as there is room beside them', async () => {
    const { inside, request } = setUp({ slow: { concurrency: 2, afterMs: 1 } });
    void request('b', 'b1');
    void request('c', 'c1');
    void request('d', 'd1');
    void request('a', 'a1');
    while (inside.length < 3) await settled();
    expect(inside).toEqual(['b1', 'c1', 'd1']);
  });

  it('refuses who would stand too far back in the line of a company, and nobody else', async () => {
    const { inside, request, end } = setUp({ requestsPerCompany: 2 });
    const first = request('a', 'a1', 'a3');
    const second = request('a', 'a2');
    await expect(request('a', 'a4')).rejects.toMatchObject({ code: 'too_many_dry_runs', retryAfterSeconds: 1 });
    const other = request('b', 'b1');
    await settled();
    for (const name of ['a1', 'b1']) await end(name);
    await other;
    for (const name of ['a2', 'a3']) await end(name);
    await Promise.all([first, second]);
    const third = request('a', 'a5');
    await settled();
    expect(inside).toEqual(['a5']);
    await end('a5');
    await third;
  });

  it('lets those who are gone leave the line at once, so that others may come', async () => {
    const { places, inside, request, end } = setUp({ requestsPerCompany: 3 });
    const first = request('a', 'a1');
    const gone = new AbortController();
    const piece = async (): Promise<string> => (gone.signal.aborted ? 'nothing to do' : 'work');
    const waiting = Array.from({ length: 2 }, () => places.run('a', (takeTurn) => takeTurn(piece, gone.signal)));
    await expect(request('a', 'a2')).rejects.toMatchObject({ code: 'too_many_dry_runs' });
    gone.abort();
    expect(await Promise.all(waiting)).toEqual(['nothing to do', 'nothing to do']);
    expect(await places.run('a', (takeTurn) => takeTurn(piece, gone.signal))).toBe('nothing to do');
    const last = request('a', 'a2');
    await settled();
    expect(inside).toEqual(['a1']);
    await end('a1');
    await end('a2');
    await Promise.all([first, last]);
  });

  it('gives the place on when the work fails', async () => {
    const places = new DryRunQueue({ concurrency: 1, requestsPerCompany: 1 });
    const failing = places.run('a', (takeTurn) => takeTurn(() => Promise.reject(new Error('broken'))));
    await expect(failing).rejects.toThrow('broken');
    expect(await places.run('a', (takeTurn) => takeTurn(async () => 'in'))).toBe('in');
  });
});
