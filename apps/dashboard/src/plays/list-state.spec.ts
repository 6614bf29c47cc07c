import fc from 'fast-check';
import { isFinal, PLAY_STATES } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { firstPage, shownAll, withChanges, withPage, type ListState } from './list-state';
import { parseSearch, stringifySearch } from '../search-params';
import type { Play, PlayPage } from './play';
import { matches, readPlaysSearch, type PlaysSearch } from './plays-search';

function play(n: number, state: Play['state'] = 'RUN', fields: Partial<Play> = {}): Play {
  const createdAt = new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 2)).toISOString();
  const id = `p${String(n).padStart(5, '0')}`;
  const labels: Record<string, string> = n % 2 === 0 ? { shop: 'vienna' } : {};
  return {
    id,
    state,
    createdAt,
    flowId: `f${n % 3}`,
    trigger: 'api',
    idempotencyKey: null,
    completedAt: null,
    labels,
    ...fields,
  } as Play;
}

/** As the API pages: newest first, by keyset. */
function page(all: readonly Play[], search: PlaysSearch, size: number, cursor: string | null = null): PlayPage {
  const place = ({ id, completedAt }: Play): string => (search.sort ? `${completedAt} ${id}` : id);
  const sorted = all.filter((each) => matches(each, search)).sort((a, b) => (place(a) < place(b) ? 1 : -1));
  const rest = sorted.filter((each) => cursor === null || place(each) < cursor);
  const items = rest.slice(0, size);
  const last = items.at(-1);
  const nextCursor = rest.length > size && last ? place(last) : null;
  return { items, page: 0, size, total: sorted.length, totalCapped: false, nextCursor };
}

/** As plays move: what has ended stays as it is. */
function moved(before: Play, state: Play['state']): Play {
  if (before.completedAt !== null) return before;
  const ends = isFinal(state) ? new Date(Date.parse(before.createdAt) + ((before.id.charCodeAt(5) * 7) % 13)) : null;
  return { ...before, state, completedAt: ends?.toISOString() ?? null };
}

describe('the list', () => {
  it('equals what the API would answer, whatever happened since it was read', () => {
    const states = fc.constantFrom(...PLAY_STATES);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('new' as const), state: states }),
      fc.record({ kind: fc.constant('move' as const), at: fc.nat(60), state: states }),
      fc.record({ kind: fc.constant('more' as const) }),
      fc.record({ kind: fc.constant('slow more' as const), at: fc.nat(60), state: states }),
      fc.record({ kind: fc.constant('show' as const) }),
    );
    const searches = fc.constantFrom<PlaysSearch>(
      {},
      { state: ['RUN', 'FAIL'] },
      { flowId: 'f1', label: ['shop:vienna'] },
      { sort: 'completedAt' },
    );
    fc.assert(
      fc.property(fc.nat(30), searches, fc.array(step, { maxLength: 60 }), (before, search, steps) => {
        const all = Array.from({ length: before }, (_, n) => play(n));
        let list: ListState = firstPage(search, page(all, search, 5));
        for (const each of steps) {
          if (each.kind === 'new') {
            all.push(moved(play(all.length), each.state));
            list = withChanges(list, [all.at(-1) as Play]);
          } else if (each.kind === 'move' && all.length > 0) {
            const at = each.at % all.length;
            all[at] = moved(all[at] as Play, each.state);
            list = withChanges(list, [all[at]]);
          } else if (each.kind === 'more' && list.nextCursor !== null) {
            list = withPage(list, page(all, search, 5, list.nextCursor));
          } else if (each.kind === 'slow more' && list.nextCursor !== null) {
            const stale = page(all, search, 5, list.nextCursor);
            const at = each.at % all.length;
            all[at] = moved(all[at] as Play, each.state);
            list = withChanges(list, [all[at]]);
            list = withChanges(withPage(list, stale), [all[at]]);
          } else if (each.kind === 'show') list = shownAll(list);
        }
        const shown = shownAll(list);
        const answer = page(all, search, 1_000).items.filter(
          ({ id, completedAt }) =>
            shown.nextCursor === null || (search.sort ? `${completedAt} ${id}` : id) >= shown.nextCursor,
        );
        expect(shown.rows).toEqual(answer);
      }),
    );
  });

  it('moves no row before somebody asks for it', () => {
    const list = firstPage({ state: ['RUN'] }, page([play(0), play(1)], {}, 5));
    const changed = withChanges(list, [play(2), play(1, 'DONE')]);
    expect(changed.rows.map(({ id, state }) => [id, state])).toEqual([
      ['p00001', 'DONE'],
      ['p00000', 'RUN'],
    ]);
    expect([changed.newer.size, [...changed.leaving]]).toEqual([1, ['p00001']]);
    expect(shownAll(changed).rows.map(({ id }) => id)).toEqual(['p00002', 'p00000']);
  });
});

describe('a list of plays that retry', () => {
  it('offers those that begin to pause, and marks those that go on', () => {
    const pausing = (n: number): Play => ({ ...play(n, 'DEFERRED'), retrying: true });
    const list = firstPage({ retrying: 'true' }, page([pausing(0)], {}, 5));
    const changed = withChanges(list, [play(0, 'RUN'), pausing(1), play(2, 'DEFERRED')]);
    expect([[...changed.newer.keys()], [...changed.leaving]]).toEqual([['p00001'], ['p00000']]);
    expect(shownAll(changed).rows.map(({ id }) => id)).toEqual(['p00001']);
  });
});

describe('readPlaysSearch', () => {
  it('reads what it wrote, labels with commas and percent signs, too', () => {
    const search: PlaysSearch = {
      state: ['FAIL', 'SKIP'],
      label: ['a:1,2', 'b:50%2C'],
      retrying: 'true',
      sort: 'completedAt',
    };
    expect(readPlaysSearch(parseSearch(stringifySearch({ ...search })))).toEqual(search);
  });

  it('takes what can be a filter and leaves the rest out', () => {
    const typed = { state: 'FAIL,nonsense,RUN', trigger: 'x', from: '2026-01-01', to: 'soon', flowId: '', extra: '1' };
    expect(readPlaysSearch(typed)).toEqual({ state: ['RUN', 'FAIL'], from: '2026-01-01T00:00:00.000Z' });
  });
});

describe('a failed play in the list', () => {
  const failed = play(1, 'FAIL', { retryOf: null, retriedBy: null });
  const listOf = (search: PlaysSearch): ListState => firstPage(search, page([failed], search, 9));
  const retry = (state: Play['state']): Play => play(2, state, { retryOf: failed.id });

  it('has its retry as soon as that moves, and keeps it', () => {
    const begun = withChanges(listOf({}), [retry('RUN')]);
    expect(begun.rows[0]?.retriedBy).toEqual({ playId: 'p00002', state: 'RUN' });
    const ended = withChanges(begun, [retry('DONE')]);
    expect(ended.rows[0]).toMatchObject({ state: 'FAIL', retriedBy: { state: 'DONE' } });
    // a row of the stream does not say it
    expect(withChanges(ended, [failed]).rows[0]?.retriedBy).toEqual({ playId: 'p00002', state: 'DONE' });
  });

  it('leaves the list of those that are not mended when its retry has ended well', () => {
    const list = listOf({ mended: 'false' });
    expect(withChanges(list, [retry('FAIL')]).leaving.size).toBe(0);
    expect([...withChanges(list, [retry('DONE')]).leaving]).toEqual([failed.id]);
    expect([...withChanges(list, [retry('FILTERED')]).leaving]).toEqual([failed.id]);
  });
});
