import { describe, expect, it } from 'vitest';
import { asSaved, bodyOf, isUnchanged, unsavedText, withSavedIds, type DraftLayer } from './draft';
import { aDraft } from './draft.fixture';

const [a, b, c] = [aDraft('a'), aDraft('b'), aDraft('c')];
const text = (saved: readonly DraftLayer[], now: readonly DraftLayer[]): string => unsavedText(saved, now);

describe('what is not saved', () => {
  it('is said in words', () => {
    expect(text([a, b, c], [a, b, c])).toBe('');
    expect(text([a, b], [b, a])).toBe('another order');
    expect(text([a, b, c], [{ ...a, name: 'A' }, c, aDraft('d', { id: null })])).toBe('1 changed, 1 added, 1 deleted');
  });

  it('is nothing when a change was taken back', () => {
    const args = { template: 'x', list: [1, { y: 2 }] };
    expect(isUnchanged([{ ...a, args }], [{ ...a, args: structuredClone(args) }])).toBe(true);
    expect(isUnchanged([{ ...a, args }], [{ ...a, args: { ...args, list: [1, { y: 3 }] } }])).toBe(false);
    expect(isUnchanged([a, b], [b, a])).toBe(false);
  });
});

describe('a new layer', () => {
  it('is sent without an id, and has one after it was saved, under the same key', () => {
    const fresh = aDraft('d', { id: null, key: 'new-1' });
    expect(bodyOf(fresh)).not.toHaveProperty('id');
    expect(bodyOf(a)).toMatchObject({ id: 'id-a', ref: 'a' });
    const { key: _, ...saved } = { ...fresh, id: 'id-d', index: 0, flowId: 'f', warnings: [] };
    expect(asSaved([fresh], { layers: [saved] })).toEqual([{ ...fresh, id: 'id-d' }]);
  });
});

describe('a step of the history after a save', () => {
  it('has the ids of what is saved: a deleted layer is a new one, an added one is the saved one', () => {
    const added = aDraft('n', { id: null, key: 'new-1' });
    expect(withSavedIds([a, b], [a]).map(({ id }) => id)).toEqual(['id-a', null]);
    expect(withSavedIds([a, added], [a, { ...added, id: 'id-n' }]).map(({ id }) => id)).toEqual(['id-a', 'id-n']);
    expect(withSavedIds([a], [a])[0]).toBe(a);
  });
});
