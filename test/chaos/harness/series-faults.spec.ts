import type { LayerResult, Play } from '@weft/engine';
import type { LedgerCall } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { seriesFaults } from './series-faults.js';
import { CHILDREN, isBadChild, isBadItem, ITEMS, PAGES, ROUNDS, ROWS } from './series-flow.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const bad = { ok: false, out: null, error: { code: 'bad_status' } };
const good = (i: number) => ({ ok: true, out: { json: { done: i } }, error: null });

const OUTS = {
  items: upTo(ITEMS).map((i) => (isBadItem(i) ? bad : good(i))),
  pages: { count: PAGES, pages: upTo(PAGES).map((i) => ({ json: { rows: upTo(ROWS).map((row) => i * ROWS + row) } })) },
  rows: upTo(PAGES * ROWS).map((i) => ({ json: { done: i } })),
  rounds: { json: { done: ROUNDS - 1 } },
  children: upTo(CHILDREN).map((i) => (isBadChild(i) ? bad : good(i))),
};

function parent(outs: object = OUTS): Play {
  const layers = Object.entries(outs).map(([ref, out]) => ({ ref, out: out as unknown }) as LayerResult);
  return { _id: 'p', args: { n: 7 }, layers } as unknown as Play;
}
const children = upTo(CHILDREN).map(
  (i) => ({ _id: `c${i}`, args: { n: 7, i }, state: isBadChild(i) ? 'FAIL' : 'DONE' }) as unknown as Play,
);
const call = (what: string, i: number, key = `${what} ${i}`): LedgerCall =>
  ({ path: `/${what}?n=7&i=${i}`, body: '', idempotencyKey: key }) as LedgerCall;
const calls = Object.entries({ item: ITEMS, page: PAGES, row: PAGES * ROWS, round: ROUNDS, child: CHILDREN }).flatMap(
  ([what, count]) => upTo(count).map((i) => call(what, i)),
);

describe('the oracle of series', () => {
  it('finds nothing in a play that went well, also when a call was repeated', () => {
    expect(seriesFaults([parent()], children, [...calls, call('item', 0)])).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    ['an item that is missing', { items: OUTS.items.slice(1) }, /number of its results of item/],
    ['an item in the place of another', { items: [OUTS.items[1], OUTS.items[0], ...OUTS.items.slice(2)] }, /item 0 is/],
    ['a failure that was lost', { items: OUTS.items.map((_, i) => good(i)) }, /item 3 is/],
    ['a page that came twice', { pages: { ...OUTS.pages, pages: [OUTS.pages.pages[0], ...OUTS.pages.pages] } }, /rows/],
    ['a round too few', { rounds: { json: { done: ROUNDS - 2 } } }, /last round/],
    ['a child that is missing', { children: OUTS.children.slice(1) }, /number of its results of child/],
  ])('finds %s', (_, outs, fault) => {
    expect(seriesFaults([parent({ ...OUTS, ...outs })], children, calls).join()).toMatch(fault);
  });

  it('finds a second key, a call that was never made, and children that are too many, too few or other than they must be', () => {
    const found = (of: readonly Play[], made: readonly LedgerCall[]) => seriesFaults([parent()], of, made).join();
    expect(found(children, [...calls, call('row', 2, 'another')])).toContain('row 7 2: has the keys row 2, another');
    expect(found(children, calls.slice(1))).toContain('item 7 0: was never called');
    expect(found([...children, { ...children[0], _id: 'c' } as Play], calls)).toMatch(/child 7 0 has the plays/);
    expect(found(children.slice(1), calls)).toMatch(/children of all plays/);
    expect(found([{ ...children[0], state: 'FAIL' } as Play, ...children.slice(1)], calls)).toMatch(/child c0 is FAIL/);
  });
});
