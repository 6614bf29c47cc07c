import { outOf as wholeOf, type Play } from '@weft/engine';
import type { LedgerCall } from '@weft/testing';
import { CLOCK_TOLERANCE_MS } from './play-faults.js';
import { CHILDREN, isBadChild, isBadItem, ITEMS, PAGES, readCall, ROUNDS, ROWS } from './series-flow.js';

interface Item {
  readonly ok: boolean;
  readonly out: { readonly json?: { readonly done: number } } | null;
  readonly error: { readonly code: string } | null;
}

/** What plays of the series flow have otherwise than their peer says: docs/reliability.md I2, I6. Empty: nothing. */
export function seriesFaults(
  parents: readonly Play[],
  children: readonly Play[],
  calls: readonly LedgerCall[],
): string[] {
  return [
    ...parents.flatMap((play) => outputFaults(play).map((fault) => `${play._id}: ${fault}`)),
    ...childFaults(parents, children),
    ...keyFaults(calls),
    ...callFaults(parents, calls),
  ];
}

/** Each item, page, row, round and child has its result, once and in order. */
function outputFaults({ layers }: Play): string[] {
  const outOf = (ref: string): unknown => {
    const layer = layers.find((one) => one.ref === ref);
    return layer && wholeOf(layer);
  };
  const pages = outOf('pages') as { readonly count: number; readonly pages: readonly { json: { rows: number[] } }[] };
  const rows = outOf('rows') as readonly { readonly json: { readonly done: number } }[];
  const rounds = outOf('rounds') as { readonly json: { readonly done: number } };
  return [
    ...collected('item', outOf('items') as readonly Item[], ITEMS, isBadItem),
    ...differs(
      'rows of its pages',
      pages.pages.flatMap(({ json }) => json.rows),
      numbers(PAGES * ROWS),
    ),
    ...differs('count of pages', pages.count, PAGES),
    ...differs(
      'results of its rows',
      rows.map(({ json }) => json.done),
      numbers(PAGES * ROWS),
    ),
    ...differs('last round', rounds.json.done, ROUNDS - 1),
    ...collected('child', outOf('children') as readonly Item[], CHILDREN, isBadChild),
  ];
}

function collected(what: string, items: readonly Item[], count: number, isBad: (i: number) => boolean): string[] {
  const wrong = items.flatMap(({ ok, out, error }, i) => {
    const isRight = isBad(i)
      ? !ok && error !== null
      : ok && error === null && (what === 'child' || out?.json?.done === i);
    return isRight ? [] : [`its ${what} ${i} is ${JSON.stringify({ ok, out, error })}`];
  });
  return [...differs(`number of its results of ${what}`, items.length, count), ...wrong];
}

/** One play for each child that a parent has, and no other. */
function childFaults(parents: readonly Play[], children: readonly Play[]): string[] {
  const byItem = Map.groupBy(children, ({ args }) => `${String(args.n)} ${String(args.i)}`);
  const repeated = [...byItem].filter(([, plays]) => plays.length > 1);
  const nameOf = (plays: readonly Play[]) => plays.map(({ _id, state }) => `${_id} ${state}`).join(', ');
  return [
    ...repeated.map(([item, plays]) => `the child ${item} has the plays ${nameOf(plays)}`),
    ...differs('children of all plays', byItem.size, parents.length * CHILDREN),
    ...children
      .filter(({ state, args }) => state !== (isBadChild(Number(args.i)) ? 'FAIL' : 'DONE'))
      .map(({ _id, state, error }) => `the child ${_id} is ${state} (${error?.code})`),
  ];
}

/** Nothing reached the peer under two keys: it could not have known that it is the same. */
function keyFaults(calls: readonly LedgerCall[]): string[] {
  const keys = new Map<string, Set<string>>();
  for (const call of calls) {
    const { what, n, i } = readCall(call);
    const known = keys.get(`${what} ${n} ${i}`) ?? new Set();
    keys.set(`${what} ${n} ${i}`, known.add(call.idempotencyKey ?? 'none'));
  }
  return [...keys].filter(([, of]) => of.size > 1).map(([of, all]) => `${of}: has the keys ${[...all].join(', ')}`);
}

/** Each was called at all: no result was made up. */
function callFaults(parents: readonly Play[], calls: readonly LedgerCall[]): string[] {
  const made = new Set(calls.map(readCall).map(({ what, n, i }) => `${what} ${n} ${i}`));
  const counts = { item: ITEMS, page: PAGES, row: PAGES * ROWS, round: ROUNDS, child: CHILDREN };
  return parents.flatMap(({ args }) =>
    Object.entries(counts).flatMap(([what, count]) =>
      numbers(count)
        .map((i) => `${what} ${String(args.n)} ${i}`)
        .filter((each) => !made.has(each))
        .map((each) => `${each}: was never called`),
    ),
  );
}

/** Plays of a lane whose calls were not made one after the other in the order of acceptance: docs/reliability.md I34. Empty: none. */
export function laneFaults(plays: readonly Play[], calls: readonly LedgerCall[]): string[] {
  const turns = Map.groupBy(
    calls.filter((call) => readCall(call).what === 'turn'),
    (call) => readCall(call).n,
  );
  const faults: string[] = [];
  for (const [lane, of] of Map.groupBy(plays, (play) => play.lane)) {
    const inOrder = of.toSorted((a, b) => orderOf(a) - orderOf(b));
    for (const [i, play] of inOrder.entries()) {
      const made = (turns.get(Number(play.args.n)) ?? []).map(({ at }) => at.getTime());
      if (made.length === 0) faults.push(`${play._id} of ${lane}: was never called`);
      const before = inOrder[i - 1]?.completedAt?.getTime() ?? 0;
      const earlyMs = before - Math.min(...made);
      if (earlyMs > CLOCK_TOLERANCE_MS) faults.push(`${play._id} of ${lane}: was called ${earlyMs} ms before its turn`);
    }
  }
  return faults;
}

/** By when MongoDB stored it. */
function orderOf({ order }: Play): number {
  const { t = 0, i = 0 } = (order ?? {}) as { readonly t?: number; readonly i?: number };
  return t * 1_000_000 + i;
}

/** How many calls were made for something that the peer had been called for before, for whatever reason. */
export function repeatedSeriesCalls(calls: readonly LedgerCall[]): number {
  const different = new Set(calls.map(readCall).map(({ what, n, i }) => `${what} ${n} ${i}`));
  return calls.length - different.size;
}

function differs(what: string, is: unknown, wanted: unknown): string[] {
  const [found, right] = [JSON.stringify(is), JSON.stringify(wanted)];
  return found === right ? [] : [`its ${what}: ${found} instead of ${right}`];
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
