import { isEmailAddress } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { EMAIL_PATTERN } from './user.requests.js';

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

describe('the pattern of an e-mail address in the description', () => {
  it('is what is checked, for each character of the first plane', () => {
    const codes = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) => !isSurrogate(code));
    const differs = codes.filter((code) => {
      const address = `a${String.fromCharCode(code)}b@example.org`;
      return EMAIL_PATTERN.test(address) !== isEmailAddress(address);
    });
    expect(differs.map((code) => code.toString(16))).toEqual([]);
  });
});
