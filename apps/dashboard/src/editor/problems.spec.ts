import { describe, expect, it } from 'vitest';
import { aDraft } from './draft.fixture';
import { faultAt, problemsOf, unreadableProblems, withoutFresh, withoutRefused, withoutTyped } from './problems';

const LAYERS = [aDraft('a'), aDraft('b')];
const at = (path: string) => problemsOf(LAYERS, [{ path, code: 'c', message: 'wrong' }], true)[0];

describe('a problem', () => {
  it.each([
    ['layers.b.args.url', 'id-b', 'args.url'],
    ['layers.0.ref', 'id-a', 'ref'],
    ['layers.a', 'id-a', ''],
  ])('at %s belongs to layer %s, field %s', (path, key, field) => {
    expect(at(path)).toEqual({ key, field, message: 'wrong', isError: true });
  });

  it('of the flow says where it is', () => {
    expect(at('testCases.greets.greet.text')).toMatchObject({
      key: null,
      message: 'testCases.greets.greet.text: wrong',
    });
    expect(at('')).toMatchObject({ key: null, message: 'wrong' });
    expect(at('layers.gone.when')).toMatchObject({ key: null });
  });

  it('is a text that is no JSON yet, while its layer is there', () => {
    const unreadable = new Map([
      ['id-a args.body', '{'],
      ['gone args', '['],
    ]);
    expect(unreadableProblems(unreadable, LAYERS)).toMatchObject([{ key: 'id-a', field: 'args.body' }]);
  });

  it('of a field in which somebody types waits until the field is left, if it was not there before', () => {
    const problems = ['a.args.url', 'a.args.urls', 'b.args.url', 'a.args.url.x'].flatMap((path) =>
      problemsOf(LAYERS, [{ path: `layers.${path}`, code: 'c', message: 'wrong' }], true),
    );
    const typing = { key: 'id-a', field: 'args.url', wasWrong: false };
    expect(withoutTyped(problems, typing)).toEqual([problems[1], problems[2]]);
    expect(withoutTyped(problems, { ...typing, wasWrong: true })).toEqual(problems);
    expect(withoutTyped(problems, null)).toEqual(problems);
  });

  it('of a new layer waits until somebody was in the field', () => {
    const layers = [{ ...aDraft('a'), id: null }, aDraft('b')];
    const problems = ['a.args.url', 'a.args.body.x', 'a.args', 'a.ref', 'b.args.url'].flatMap((path) =>
      problemsOf(layers, [{ path: `layers.${path}`, code: 'c', message: 'wrong' }], true),
    );
    const told = (left: readonly string[]) => withoutFresh(problems, layers, [aDraft('b')], new Map([['id-a', left]]));
    expect(told([])).toEqual(problems.slice(3));
    expect(told(['args.body'])).toEqual(problems.slice(1));
    expect(told(['args.url'])).toEqual([problems[0], ...problems.slice(2)]);
  });

  it('of a field that was added is told once somebody was in it, of one that was there at once', () => {
    const saved = [aDraft('a', { args: { url: '', auth: null } })];
    const layers = [aDraft('a', { args: { url: '', auth: { integrationId: '' } }, forEach: { in: '' } as never })];
    const problems = ['args.auth.integrationId', 'forEach.in', 'args.url', 'args.method'].flatMap((field) =>
      problemsOf(layers, [{ path: `layers.a.${field}`, code: 'c', message: 'wrong' }], true),
    );
    const told = (left: readonly string[]) => withoutFresh(problems, layers, saved, new Map([['id-a', left]]));
    expect(told([])).toEqual(problems.slice(2));
    expect(told(['args.auth.integrationId'])).toEqual([problems[0], ...problems.slice(2)]);
  });

  it('for which a draft is refused leaves the others to be judged', () => {
    const refused = ['layers.0.ref', 'layers.0.retry.attempts', 'layers.1.args.body'].map((path) => at(path));
    expect(
      withoutRefused(
        LAYERS,
        refused.flatMap((each) => each ?? []),
      ),
    ).toEqual([
      { ...LAYERS[0], ref: 'refused', retry: undefined },
      { ...LAYERS[1], args: undefined },
    ]);
    expect(
      withoutRefused(
        LAYERS,
        refused.slice(2).flatMap((each) => each ?? []),
      )?.[0],
    ).toBe(LAYERS[0]);
    for (const path of ['', 'layers.0', 'layers.7.ref']) {
      expect(
        withoutRefused(
          LAYERS,
          [at(path)].flatMap((each) => each ?? []),
        ),
      ).toBeNull();
    }
  });

  it('within a field is told with its place', () => {
    const problems = problemsOf(LAYERS, [{ path: 'layers.a.args.cases.0.when', code: 'c', message: 'wrong' }], true);
    expect(faultAt(problems, 'args.cases')).toBeUndefined();
    expect(faultAt(problems, 'args.cases', true)).toBe('0.when: wrong');
  });
});
