import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillLeftOut, LEFT_OUT } from './fill-left-out.js';

/** What is filled in, and the places that stay left out. */
function fill(wanted: unknown, stored: unknown): readonly [unknown, readonly string[]] {
  const missing: string[] = [];
  return [fillLeftOut(wanted, stored, (place) => missing.push(place.join('.'))), missing];
}

const named = (name: string, value: unknown, more: object = {}) => ({ name, value, ...more });
const [A, B] = [named('token', 'A', { for: 'a' }), named('token', 'B', { for: 'b' })];
const open = (entry: object) => ({ ...entry, value: LEFT_OUT });

describe('what a document leaves out', () => {
  it('is what is stored in a field of exactly this name, a text or a number', () => {
    const left = { 'headers.token': LEFT_OUT, headers: { apiKey: LEFT_OUT } };
    expect(fill(left, { headers: { token: 's' }, 'headers.apiKey': 'k' })).toEqual([
      left,
      ['headers.token', 'headers.apiKey'],
    ]);
    expect(fill({ a: LEFT_OUT, b: LEFT_OUT, c: 1 }, { a: 7, b: { deep: 's' }, c: 2 })).toEqual([
      { a: 7, b: LEFT_OUT, c: 1 },
      ['b'],
    ]);
    expect(fill({ toString: LEFT_OUT }, {})[1]).toEqual(['toString']);
  });

  it.each(['ref', 'key', 'name'])(
    'of an entry of a list goes with its %s, whatever else is moved or changed',
    (field) => {
      const entry = (identity: string, value: string, more = {}) => ({ [field]: identity, value, ...more });
      const stored = [entry('a', 'A'), entry('b', 'B'), entry('c', 'C')];
      const wanted = [entry('new', LEFT_OUT), entry('c', LEFT_OUT, { more: 1 }), entry('a', LEFT_OUT)];
      expect(fill(wanted, stored)).toEqual([
        [entry('new', LEFT_OUT), entry('c', 'C', { more: 1 }), entry('a', 'A')],
        ['0.value'],
      ]);
    },
  );

  it.each<[string, unknown[], unknown[]]>([
    ['of one name that are moved', [A, B], [open(B), open(A)]],
    ['of one name of which one is gone', [A, B], [open(A)]],
    ['of one name of which the flow has one', [A], [open(A), open(B)]],
    [
      'without a name that are moved',
      [
        { n: 1, secret: 'A' },
        { n: 2, secret: 'B' },
      ],
      [
        { n: 2, secret: LEFT_OUT },
        { n: 1, secret: LEFT_OUT },
      ],
    ],
    ['without anything else of which one is gone', ['A', 'B'], [LEFT_OUT]],
    ['without anything else of which one is new', ['A', 'B'], [LEFT_OUT, 'new']],
    [
      'whose name is left out, too',
      [
        { key: LEFT_OUT, secret: 'A' },
        { key: 'k', secret: 'B' },
      ],
      [{ key: LEFT_OUT, secret: LEFT_OUT }],
    ],
  ])('stays left out in entries %s', (_what, stored, wanted) => {
    const [filled, missing] = fill(wanted, stored);
    expect(filled).toEqual(wanted);
    expect(missing.length).toBeGreaterThan(0);
  });

  it('stays what it is, whatever is stored, where nothing was changed', () => {
    fc.assert(
      fc.property(flowPart, (stored) => {
        expect(fill(exported(stored), stored)).toEqual([stored, []]);
      }),
    );
  });

  it('never gets to another place than it came from, whatever somebody does to the document', () => {
    fc.assert(
      fc.property(flowPart, fc.infiniteStream(fc.nat(9)), (stored, dice) => {
        const edited = edit(stored, () => dice.next().value as number);
        const [filled, missing] = fill(exported(edited), stored);
        expect(
          leavesOf(filled)
            .filter(({ leaf }) => leaf === LEFT_OUT)
            .map(({ at }) => at),
        ).toEqual(missing);
        const own = new Map(leavesOf(edited).map(({ at, leaf }) => [at, leaf]));
        for (const { at, leaf } of leavesOf(filled)) if (leaf !== LEFT_OUT) expect(leaf).toBe(own.get(at));
      }),
      { numRuns: 1_000 },
    );
  });
});

interface Fields {
  readonly [name: string]: Part;
}
type Part = string | number | Fields | readonly Part[];

/** Of an entry that somebody adds: no value of the flow is for it. */
const NEW_SECRET = 'secret new';

const names = fc.constantFrom('x', 'y', 'z');
const { part } = fc.letrec<{ part: Part; fields: Fields }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.constant('secret'),
    fc.nat(3),
    tie('fields'),
    fc.array(fc.constant('secret'), { maxLength: 3 }),
    fc.array(tie('fields'), { maxLength: 3 }),
    fc
      .tuple(fc.constantFrom('ref', 'key', 'name'), fc.array(fc.tuple(names, tie('fields')), { maxLength: 4 }))
      .map(([by, entries]) => entries.map(([name, fields]) => ({ [by]: name, ...fields }))),
  ),
  fields: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('part'), { maxKeys: 3 }),
}));

/** Each secret is another one, and so is the `n` of each entry: entries that are alike could change places unseen. */
const flowPart = part.map((each) => {
  let count = 0;
  return mapped(each, (value, isEntry) => {
    count += 1;
    if (value === 'secret') return `secret ${count}`;
    return isEntry && isFields(value) ? { n: count, ...value } : value;
  });
});

function mapped(value: Part, change: (value: Part, isEntry: boolean) => Part, isEntry = false): Part {
  const own = change(value, isEntry);
  if (Array.isArray(own)) return (own as Part[]).map((entry) => mapped(entry, change, true));
  if (!isFields(own)) return own;
  return Object.fromEntries(Object.entries(own).map(([name, inner]) => [name, mapped(inner, change)]));
}

function exported(value: Part): Part {
  return mapped(value, (each) => (typeof each === 'string' && each.startsWith('secret') ? LEFT_OUT : each));
}

/** Entries go, come, move and change; the secrets stay with what they belong to. */
function edit(value: Part, roll: () => number): Part {
  let fresh = 1_000;
  return mapped(value, (each) => {
    if (isFields(each) && 'n' in each && roll() === 0) return { ...each, n: (fresh += 1) };
    if (!Array.isArray(each)) return each;
    const entries = (each as Part[]).filter(() => roll() > 1);
    if (!entries.some(isFields)) return roll() > 6 ? ['new', ...entries] : entries;
    if (roll() > 4) entries.reverse();
    if (roll() > 6) entries.unshift({ name: 'new', n: (fresh += 1), a: NEW_SECRET });
    return entries;
  });
}

function leavesOf(value: unknown, at = ''): readonly { readonly at: string; readonly leaf: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ at, leaf: value }];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, at === '' ? name : `${at}.${name}`));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
