import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText } from './cut-text.js';

describe('cutText', () => {
  it('keeps a text that fits, and the beginning of one that does not', () => {
    expect(cutText('abcdef', 6)).toBe('abcdef');
    expect(cutText('abcdefg', 6)).toBe('abc…');
    expect(cutText('äöü', 5)).toBe('ä…');
    expect(cutText('😀😀', 7)).toBe('😀…');
  });

  it('never gives more bytes than allowed, nor half a character', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 3, max: 50 }), (text, max) => {
        const cut = cutText(text, max);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        expect(cut).not.toContain('\ufffd');
        expect(text.startsWith(cut.replace(/…$/, ''))).toBe(true);
      }),
    );
  });
});
