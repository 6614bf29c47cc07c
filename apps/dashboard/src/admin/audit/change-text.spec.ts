import { describe, expect, it } from 'vitest';
import { changeText } from './change-text';

describe('changeText', () => {
  it('says what was and what is', () => {
    expect(changeText({ before: 'viewer', after: 'admin' })).toBe('viewer → admin');
    expect(changeText({ before: { a: 1 }, after: null })).toBe('{"a":1} → nothing');
    expect(changeText({ before: null, after: 'new' })).toBe('new');
    expect(changeText(7)).toBe('7');
  });

  it('keeps to what a row has room for', () => {
    expect(changeText({ before: null, after: 'x'.repeat(500) })).toHaveLength(62);
  });
});
