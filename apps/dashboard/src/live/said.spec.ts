import { expect, it } from 'vitest';
import { saidAfter, type Said } from './said';

const after = (...pieces: readonly [answer: number, at: number, text: string][]): Said | null =>
  pieces.reduce<Said | null>((said, [answer, at, text]) => saidAfter(said, { answer, at, text }), null);

it('puts an answer together from its pieces, and begins anew with the next one, or when it is asked for again', () => {
  expect(after([0, 0, 'I look '], [0, 7, 'it up.'])).toEqual({ answer: 0, end: 13, text: 'I look it up.' });
  expect(after([0, 0, 'I look '], [1, 0, 'Found.'])?.text).toBe('Found.');
  expect(after([0, 0, 'I look '], [0, 0, 'I see'])?.text).toBe('I see');
});

it('says where something was left out, and shows the end of a long answer', () => {
  expect(after([0, 9, 'the end'])?.text).toBe(' … the end');
  expect(after([0, 0, 'Begin'], [0, 50, 'end'])?.text).toBe('Begin … end');
  expect(after([0, 0, 'x'.repeat(50_000)])).toMatchObject({ end: 50_000, text: 'x'.repeat(20_000) });
});
