import type { EndedPlay } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { PlayEnds, type PlayEndsOptions } from './play-ends.js';

const HOUR_MS = 3_600_000;

function setUp(options: Partial<PlayEndsOptions> = {}) {
  const final = new Map<string, EndedPlay>();
  const queries: (readonly string[])[] = [];
  const hearing = new Map<string, (notices: readonly { playId: string; seq: number }[]) => void>();
  let tellGap: (companies: readonly string[]) => void = () => undefined;
  const ends = new PlayEnds({
    endedAmong: (ids) => {
      queries.push(ids);
      return Promise.resolve(ids.flatMap((id) => final.get(id) ?? []));
    },
    notices: {
      subscribe: (companyId, listener) => {
        hearing.set(companyId, listener);
        return () => hearing.delete(companyId);
      },
      onGap: (listener) => {
        tellGap = listener;
        return () => true;
      },
    },
    maxWaiting: 10,
    maxOfCompany: 5,
    lookEveryMs: HOUR_MS,
    ...options,
  });
  const end = (playId: string) =>
    final.set(playId, { _id: playId, company_id: 'c', state: 'DONE', last: null } satisfies EndedPlay);
  return {
    ends,
    queries,
    hearing,
    end,
    gap: (...companies: string[]) => tellGap(companies),
    wait: (playId: string, { companyId = 'c', fresh = true, ms = HOUR_MS, gone = new AbortController() } = {}) =>
      ends.wait({ companyId, playId, fresh }, ms, gone.signal),
  };
}

describe('PlayEnds', () => {
  it('answers everybody who waits for a play when a notice comes and the play has ended', async () => {
    const { ends, wait, end, hearing, queries } = setUp();
    const waiting = [wait('p1'), wait('p1'), wait('p2')];
    hearing.get('c')?.([{ playId: 'other', seq: 9 }]);
    hearing.get('c')?.([{ playId: 'p1', seq: 2 }]);
    await new Promise(setImmediate);
    expect(queries).toEqual([['p1']]);
    end('p1');
    hearing.get('c')?.([{ playId: 'p1', seq: 3 }]);
    expect((await Promise.all(waiting.slice(0, 2))).map((play) => play?.state)).toEqual(['DONE', 'DONE']);
    ends.close();
    expect(await waiting[2]).toBeNull();
  });

  it('looks at once at a play that may have ended before', async () => {
    const { ends, wait, end } = setUp();
    end('old');
    expect(await wait('old', { fresh: false })).toMatchObject({ _id: 'old' });
    ends.close();
  });

  it('looks at all plays of a company when notices of it may have been missed', async () => {
    const { ends, wait, end, gap, queries } = setUp();
    const mine = [wait('p1'), wait('p2')];
    void wait('p3', { companyId: 'other' });
    end('p1');
    end('p2');
    gap('c');
    await Promise.all(mine);
    expect(queries.flat().sort()).toEqual(['p1', 'p2']);
    ends.close();
  });

  it('looks by itself, in one query for all, when no notice comes', async () => {
    const { ends, wait, end, queries } = setUp({ lookEveryMs: 1 });
    const both = [wait('p1'), wait('p2')];
    end('p1');
    end('p2');
    await Promise.all(both);
    expect(queries.at(-1)).toEqual(['p1', 'p2']);
    ends.close();
  });

  it('goes on looking after MongoDB did not answer', async () => {
    let asked = 0;
    const { ends, wait } = setUp({
      lookEveryMs: 1,
      endedAmong: (ids) => {
        asked += 1;
        if (asked === 1) return Promise.reject(new Error('away'));
        return Promise.resolve(ids.map((id) => ({ _id: id, company_id: 'c', state: 'FAIL' as const, last: null })));
      },
    });
    expect(await wait('p1')).toMatchObject({ state: 'FAIL' });
    ends.close();
  });

  it('gives up when the time is up or the caller is gone, and then hears nothing more', async () => {
    const { ends, wait, hearing } = setUp({ lookEveryMs: 1 });
    const gone = new AbortController();
    const left = wait('p1', { gone });
    gone.abort();
    expect(await left).toBeNull();
    expect(await wait('p2', { ms: 1 })).toBeNull();
    expect(await wait('p3', { gone })).toBeNull();
    await expect.poll(() => hearing.size).toBe(0);
    ends.close();
  });

  it('lets only so many wait, of a company and in all; a place that was left is free', async () => {
    const { ends, wait } = setUp({ maxWaiting: 3, maxOfCompany: 2 });
    const first = new AbortController();
    const waiting = [wait('p1', { gone: first }), wait('p2')];
    expect(await wait('p3')).toBeNull();
    void wait('q1', { companyId: 'd' });
    expect(await wait('q2', { companyId: 'd' })).toBeNull();
    first.abort();
    await waiting[0];
    const again = wait('p3');
    ends.close();
    expect(await Promise.race([again, waiting[1]])).toBeNull();
  });

  it('answers everybody when the process stops, and lets nobody wait any more', async () => {
    const { ends, wait, hearing } = setUp();
    const waiting = [wait('p1'), wait('p2')];
    ends.close();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    expect(await wait('p3')).toBeNull();
    expect(hearing.size).toBe(0);
  });
});
