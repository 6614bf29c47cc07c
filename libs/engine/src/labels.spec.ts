import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelsFault, LABEL_KEY, MAX_LABELS } from '@weft/shapes';
import { mergeLabels, toLabels } from './labels.js';

const key = fc.stringMatching(LABEL_KEY);
const value = fc.string({ minLength: 1, maxLength: 255 }).filter((text) => !text.includes('\0'));
const labels = fc.dictionary(key, value, { maxKeys: 10 });

describe('labels', () => {
  it('are stored and shown without a loss, whatever their texts are', () => {
    fc.assert(
      fc.property(labels, (given) => {
        expect(labelsFault(given)).toBeNull();
        expect(toLabels(mergeLabels(given))).toEqual({ ...given });
        expect(toLabels(mergeLabels(null, mergeLabels(given), undefined))).toEqual({ ...given });
      }),
    );
  });

  it('are taken by key from the first source that has it, ten of them at most', () => {
    fc.assert(
      fc.property(labels, labels, labels, (run, flow, parent) => {
        const merged = toLabels(mergeLabels(run, flow, mergeLabels(parent)));
        const all = { ...parent, ...flow, ...run };
        for (const [name, text] of Object.entries(merged)) expect(all[name]).toBe(text);
        expect(Object.keys(merged)).toHaveLength(Math.min(MAX_LABELS, Object.keys(all).length));
        expect(merged).toMatchObject(run);
      }),
    );
  });

  it('are no field of a play that has none', () => {
    expect([mergeLabels(), mergeLabels(undefined, null), mergeLabels({}, [])]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a key that is too long', { ['k'.repeat(64)]: 'v' }],
    ['a key with a colon', { 'a:b': 'v' }],
    ['a key with a space', { 'a b': 'v' }],
    ['a key that is empty', { '': 'v' }],
    ['a value that is empty', { a: '' }],
    ['a value that is too long', { a: 'v'.repeat(256) }],
    ['a value with NUL', { a: 'v\0' }],
    ['a value that is no text', { a: 1 }],
    ['eleven of them', Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, 'v']))],
  ])('may not have %s', (_what, given) => {
    expect(labelsFault(given)).toEqual(expect.any(String));
  });
});
