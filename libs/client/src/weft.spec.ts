import { describe, expect, expectTypeOf, it } from 'vitest';
import { Pages, type Page } from './http/pages.js';
import { toQuery } from './http/to-query.js';
import type { WeftError } from './http/weft-error.js';
import { slices } from './resources/runs.js';
import { isWeftError, Weft, type Change, type Flow, type Play, type PlayFrame, type PlayOutcome } from './index.js';

describe('pages', () => {
  it('asks for the next page only when its items are wanted', async () => {
    const asked: (string | undefined)[] = [];
    const read = async (cursor?: string): Promise<Page<number>> => {
      asked.push(cursor);
      const at = Number(cursor ?? 0);
      return { items: [at, at + 1], total: 6, totalCapped: false, nextCursor: at < 4 ? String(at + 2) : null };
    };
    const all: number[] = [];
    for await (const item of new Pages(read)) all.push(item);
    expect(all).toEqual([0, 1, 2, 3, 4, 5]);
    expect(asked.splice(0)).toEqual([undefined, '2', '4']);
    expect(await new Pages(read).take(3)).toEqual([0, 1, 2]);
    expect(asked).toEqual([undefined, '2']);
    expect(await new Pages(read).take(0)).toEqual([]);
  });
});

describe('queries', () => {
  it('write lists with commas, labels several times, and nothing that is not given', () => {
    const query = { state: ['DONE', 'FAIL'], label: ['a:1', 'b:2,3'], cursor: undefined, size: 5, types: [] };
    expect(toQuery(query)).toBe('state=DONE%2CFAIL&label=a%3A1&label=b%3A2%2C3&size=5');
  });
});

describe('a batch', () => {
  it('is sent in slices of a thousand runs and of what a body may have', () => {
    const runs = Array.from({ length: 2_500 }, (_one, n) => ({ args: { n } }));
    expect([...slices(runs)].map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    const large = Array.from({ length: 5 }, () => ({ args: { text: 'ä'.repeat(200_000) } }));
    expect([...slices(large)].map(({ length }) => length)).toEqual([2, 2, 1]);
    expect([...slices(large)].flat()).toEqual(large);
    expect([...slices([])]).toEqual([]);
  });
});

describe('the types', () => {
  const weft = new Weft({ url: 'http://weft.test' });

  it('are those of the API', () => {
    expectTypeOf(weft.flows.get).returns.resolves.toEqualTypeOf<Flow>();
    expectTypeOf(weft.plays.list).returns.toEqualTypeOf<Pages<Play>>();
    expectTypeOf(weft.plays.list).parameter(0).toExtend<{ state?: Play['state'][] } | undefined>();
    expectTypeOf(weft.runAndWait).returns.resolves.toEqualTypeOf<PlayOutcome>();
    expectTypeOf(weft.plays.watch).returns.toExtend<AsyncIterable<PlayFrame>>();
    expectTypeOf(weft.changes.follow).returns.toExtend<AsyncIterable<Change>>();
    // @ts-expect-error a flow has no such field
    const create = () => weft.flows.create({ name: 'a', nonsense: 1 });
    // @ts-expect-error plays have no such state
    const list = () => weft.plays.list({ state: ['SLEEPING'] });
    expect([create, list]).toHaveLength(2);
    expect(weft.api.GET).toBeTypeOf('function');
  });

  it('narrow an error to the codes that were asked for, and a frame to its data', () => {
    const error: unknown = new Error('x');
    if (isWeftError(error, 'not_found', 'denied'))
      expectTypeOf(error).toEqualTypeOf<WeftError<'not_found' | 'denied'>>();
    const narrow = (frame: PlayFrame) => {
      if (frame.type === 'layer_complete') expectTypeOf(frame.data.ref).toBeString();
      // @ts-expect-error not before its type is known
      return frame.data.final_status as unknown;
    };
    expect(narrow).toBeTypeOf('function');
    // @ts-expect-error no such code
    expect(isWeftError(error, 'no_such_code')).toBe(false);
  });
});
