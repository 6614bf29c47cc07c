import { describe, expect, it } from 'vitest';
import { etagOf, parseIfMatch, parseTags } from './etag.js';

const MARK = '9f86d081884c7d65';

describe('parseTags', () => {
  it.each([
    `"7-${MARK}"`,
    `W/"7-${MARK}"`,
    `"7-${MARK}-gzip"`,
    `"7-${MARK}-br"`,
    `"7-${MARK}-zstd"`,
    `"7-${MARK};gzip"`,
    `W/"7-${MARK}-gzip"`,
  ])('reads a tag of ours as a proxy that compresses answers passes it on: %s', (tag) => {
    expect(parseTags(tag)).toEqual([{ version: 7, cases: MARK }]);
  });

  it('reads those of versions, and several', () => {
    expect(parseTags(`${etagOf(7)}, W/"8" ,"9-gzip"`)).toEqual([7, 8, 9].map((version) => ({ version, cases: null })));
    expect(parseIfMatch(`W/"7-${MARK}-gzip"`)).toEqual([7]);
  });

  it.each([
    ['7', `w/"7"`, `"7-${MARK}-gzip-br"`, '"7-deflate"', '"7-gzip', `"7-${MARK}0"`, '"x"', 'W/', ''].join(),
    `"7-${MARK}gzip"`,
  ])('finds none of ours in %s', (header) => {
    expect(parseTags(header)).toEqual([]);
  });

  it('allows any without a header and with a star', () => {
    expect([parseTags(undefined), parseTags(' * ')]).toEqual([null, null]);
  });
});
