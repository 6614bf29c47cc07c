import { describe, expect, it } from 'vitest';
import type { Layers } from './draft';
import { aDraft } from './draft.fixture';
import { alone, freeRef, isMoved, joined, movedBy, movedTo, rowsOf, withCopy } from './order';

/** `a b:s c:s` */
function layersOf(text: string): Layers {
  return text.split(' ').map((each) => {
    const [ref = '', stage] = each.split(':');
    return aDraft(ref, { stage: stage ?? null });
  });
}
const shown = (layers: Layers): string =>
  layers.map(({ ref, stage }) => (stage === null ? ref : `${ref}:${stage}`)).join(' ');

describe('moving a layer', () => {
  it.each([
    ['a b c', 'a', 2, 'b c a'],
    ['a b c', 'c', 0, 'c a b'],
    ['a b c', 'b', 9, 'a c b'],
    // into a stage, it joins
    ['a b:s c:s', 'a', 1, 'b:s a:s c:s'],
    // away from it, it runs alone
    ['a b:s c:s', 'b', 0, 'b a c:s'],
    ['b:s c:s a', 'b', 1, 'c:s b:s a'],
    // past a stage as a whole
    ['a b:s c:s', 'a', 2, 'b:s c:s a'],
    // the only one of its stage keeps it
    ['a:s b', 'a', 1, 'b a:s'],
  ])('%s: %s to %d gives %s', (before, ref, position, after) => {
    expect(shown(movedTo(layersOf(before), `id-${ref}`, position))).toBe(after);
  });

  it.each([
    ['a b c', 'b a c', true],
    ['a b c', 'a b c:s', true],
    // a layer that is added or gone moves no other
    ['a b c', 'b c d', false],
    ['a b c', 'd c b', true],
    ['a b c', 'a b c', false],
  ])('from %s to %s: %s', (before, after, isIt) => {
    expect(isMoved(layersOf(before), layersOf(after))).toBe(isIt);
  });

  it('stops at both ends', () => {
    const layers = layersOf('a b');
    expect(movedBy(layers, 'id-a', -1)).toBe(layers);
    expect(movedBy(layers, 'id-b', 1)).toBe(layers);
  });
});

describe('a stage', () => {
  it('is a row', () => {
    expect(rowsOf(layersOf('a b:s c:s d:t')).map((row) => row.layers.length)).toEqual([1, 2, 1]);
  });

  it('is begun and joined with the layer above', () => {
    expect(shown(joined(layersOf('a b c'), 'id-b'))).toBe('a:stage b:stage c');
    expect(shown(joined(layersOf('a:stage b c'), 'id-c'))).toBe('a:stage b:stage_2 c:stage_2');
    expect(shown(joined(layersOf('a b:s c:s'), 'id-b'))).toBe('a:stage b:stage c:stage');
  });

  it('is left without splitting it', () => {
    expect(shown(alone(layersOf('a:s b:s c:s d'), 'id-b'))).toBe('a:s c:s b d');
  });
});

describe('a copy', () => {
  it('has a ref of its own', () => {
    expect(shown(withCopy(layersOf('a a_2 b'), 'id-a', 'new-1'))).toBe('a a_3 a_2 b');
    expect(freeRef('fetch-2', layersOf('fetch'))).toBe('fetch_2');
    expect(withCopy(layersOf('a'), 'id-a', 'new-1')[1]).toMatchObject({ id: null, key: 'new-1' });
  });
});
