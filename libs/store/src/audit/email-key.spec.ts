import { describe, expect, it } from 'vitest';
import { emailKey, isEmailAddress } from './email-key.js';

describe('an e-mail address', () => {
  it('has no characters that nobody sees', () => {
    for (const hidden of [
      '\u034f',
      '\ufe0f',
      '\u180b',
      '\u200b',
      '\u115f',
      '\u3164',
      '\u00ad',
      '\u{e0100}',
      '\0',
      '\u2800',
      '\ufffc',
      '\u{1d159}',
      '\u{13441}',
      '\u{13442}',
    ]) {
      expect(isEmailAddress(`vic${hidden}tim@weft.test`)).toBe(false);
      expect(isEmailAddress(`victim@we${hidden}ft.test`)).toBe(false);
    }
  });

  it('has a domain that is written as it is', () => {
    for (const domain of [
      'weft.test',
      'WEFT.test',
      'b\u00fccher.test',
      'bu\u0308cher.test',
      'xn--bcher-kva.test',
      'localhost',
    ]) {
      expect([domain, isEmailAddress(`ada@${domain}`)]).toEqual([domain, true]);
    }
    for (const domain of [
      'weft\u3002test',
      '\ufb00.test',
      '\uff57eft.test',
      'xn--\u00fc.test',
      'weft.test.',
      'weft..test',
    ]) {
      expect([domain, isEmailAddress(`ada@${domain}`)]).toEqual([domain, false]);
    }
  });

  it('is of one account in both ways to write an international domain, in any case', () => {
    const key = emailKey('ada@b\u00fccher.test');
    for (const same of [' Ada@B\u00dcCHER.test', 'ada@xn--bcher-kva.test', 'ada@bu\u0308cher.test']) {
      expect(emailKey(same)).toBe(key);
    }
    expect(emailKey('Ada')).toBe('ada');
  });
});
