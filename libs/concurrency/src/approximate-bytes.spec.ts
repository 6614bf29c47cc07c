import { describe, expect, it } from 'vitest';
import { approximateBytes } from './approximate-bytes.js';

describe('approximateBytes', () => {
  it('grows with what is in the value, and is near what text takes', () => {
    const text = 'x'.repeat(10_000);
    expect(approximateBytes({ a: [text, text] })).toBeGreaterThan(20_000);
    expect(approximateBytes({ a: [text, text] })).toBeLessThan(21_000);
    expect(approximateBytes([1, null, true, { b: 'c' }])).toBeGreaterThan(approximateBytes([1]));
  });
});
