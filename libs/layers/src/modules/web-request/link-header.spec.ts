import { describe, expect, it } from 'vitest';
import { nextLink } from './link-header.js';

describe('the header Link', () => {
  it.each([
    ['<https://a/2>; rel="next"', 'https://a/2'],
    ['<https://a/2>; rel=next', 'https://a/2'],
    ['<https://a/1>; rel="prev", <https://a/3>; rel="next"; title="a, b; c"', 'https://a/3'],
    ['<a?x=1,2;3>; title="\\"next\\""; rel="last next", <b>; rel=next', 'a?x=1,2;3'],
    ['<https://a/2> ; REL = "Next"', 'https://a/2'],
    ['<https://a/2>; rel="prev"; rel="next"', null],
    ['<https://a/2>; rel="next"; anchor="#other"', null],
    ['<https://a/2>; rel="nextish"', null],
    ['https://a/2; rel="next"', null],
    ['<https://a/2', null],
    ['', null],
    [undefined, null],
  ])('%s leads to %s', (header, next) => {
    expect(nextLink(header)).toBe(next);
  });

  it('is read in one pass, however it is made', () => {
    for (const text of [
      '<a>; '.repeat(20_000),
      '<a>; x="'.repeat(10_000),
      `<a>;x="${'\\'.repeat(60_000)}`,
      '<'.repeat(60_000),
      `${' '.repeat(60_000)}x`,
    ]) {
      expect(nextLink(text)).toBeNull();
    }
  });
});
