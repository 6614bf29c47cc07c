import { describe, expect, it } from 'vitest';
import type { Layers } from './draft';
import { aDraft } from './draft.fixture';
import { compared, merged, type Side } from './merge';

const text = (template: string) => ({ args: { template } });
const [a, b, c] = [aDraft('a'), aDraft('b'), aDraft('c')];
const base: Layers = [a, b, c];
const shown = (layers: Layers): string[] => layers.map(({ ref, args }) => `${ref}=${String(args.template)}`);
const merge = (mine: Layers, theirs: Layers, choices: Record<string, Side> = {}): string[] =>
  shown(merged({ base, mine, theirs }, new Map(Object.entries(choices))));

describe('two versions of a flow', () => {
  it('go together where they touch different layers', () => {
    const mine = [{ ...a, ...text('mine') }, b, c];
    const theirs = [a, b, { ...c, ...text('theirs') }];
    expect(compared({ base, mine, theirs })).toEqual({ conflicts: [], theirsAlone: ['c'], order: null });
    expect(merge(mine, theirs)).toEqual(['a=mine', 'b=x', 'c=theirs']);
  });

  it('ask where they touch the same one, and obey', () => {
    const mine = [a, { ...b, ...text('mine') }, c];
    const theirs = [a, { ...b, ...text('theirs') }, c];
    expect(compared({ base, mine, theirs }).conflicts).toMatchObject([{ name: 'id-b' }]);
    expect(merge(mine, theirs, { 'id-b': 'theirs' })).toEqual(['a=x', 'b=theirs', 'c=x']);
    expect(merge(mine, theirs, { 'id-b': 'mine' })).toEqual(['a=x', 'b=mine', 'c=x']);
  });

  it('agree where both did the same', () => {
    const both = [a, { ...b, ...text('same') }, c];
    expect(compared({ base, mine: both, theirs: both })).toEqual({ conflicts: [], theirsAlone: [], order: null });
  });

  it('know deletions from changes', () => {
    const mine = [a, { ...b, ...text('mine') }, c];
    const theirs = [a, c];
    expect(compared({ base, mine, theirs }).conflicts).toMatchObject([{ name: 'id-b', theirs: null }]);
    expect(merge(mine, theirs, { 'id-b': 'theirs' })).toEqual(['a=x', 'c=x']);
    const kept = merged({ base, mine, theirs }, new Map([['id-b', 'mine' as const]]));
    expect(kept.map(({ ref, id }) => [ref, id])).toEqual([
      ['a', 'id-a'],
      ['b', null],
      ['c', 'id-c'],
    ]);
    expect(merge([a, c], base)).toEqual(['a=x', 'c=x']);
  });

  it('keep what both added, each after the layer that it followed', () => {
    const mine = [a, aDraft('m', { id: null, key: 'new-1' }), b, c];
    const theirs = [a, b, aDraft('t'), c];
    expect(merge(mine, theirs)).toEqual(['a=x', 'm=x', 'b=x', 't=x', 'c=x']);
  });

  it('take two new layers with one ref for the same', () => {
    const mine = [...base, aDraft('n', { id: null, key: 'new-1', ...text('mine') })];
    const theirs = [...base, aDraft('n', text('theirs'))];
    expect(compared({ base, mine, theirs }).conflicts).toMatchObject([{ name: 'id-n', base: null }]);
    expect(merge(mine, theirs, { 'id-n': 'mine' })).toEqual(['a=x', 'b=x', 'c=x', 'n=mine']);
  });

  it('lose none of two new layers with one ref, which is a fault that the server names', () => {
    const news = ['new-1', 'new-2'].map((key) => aDraft('n', { id: null, key, ...text(key) }));
    const mine = [...base, ...news];
    expect(merge(mine, [...base, aDraft('n', text('theirs'))])).toEqual(['a=x', 'b=x', 'c=x', 'n=new-1', 'n=new-2']);
    expect(merge(mine, base)).toEqual(['a=x', 'b=x', 'c=x', 'n=new-1', 'n=new-2']);
  });

  it('say who changed the order', () => {
    const order = (mine: Layers, theirs: Layers) => compared({ base, mine, theirs }).order;
    expect([order(base, [b, a, c]), order([b, a, c], base), order([b, a, c], [c, a, b])]).toEqual([
      'theirs',
      'mine',
      'both',
    ]);
    expect(order([a, c], [a, b, aDraft('t'), c])).toBeNull();
  });

  it('have my order if I made one, else theirs', () => {
    expect(merge([c, a, b], [b, a, c])).toEqual(['c=x', 'a=x', 'b=x']);
    expect(merge([a, { ...b, ...text('mine') }, c], [c, b, a])).toEqual(['c=x', 'b=mine', 'a=x']);
  });
});
