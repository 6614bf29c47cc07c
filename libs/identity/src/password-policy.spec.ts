import { WeftError } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { assertHashable, assertStrong } from './password-policy.js';

const codeOf = (work: () => void): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    return (error as WeftError).code;
  }
};

describe('passwords', () => {
  it('counts the limit of 72 in bytes, not in characters', () => {
    expect(codeOf(() => assertHashable('a'.repeat(72)))).toBeNull();
    expect(codeOf(() => assertHashable('a'.repeat(73)))).toBe('password_too_long');
    expect(codeOf(() => assertHashable('ä'.repeat(36)))).toBeNull();
    expect(codeOf(() => assertHashable('ä'.repeat(37)))).toBe('password_too_long');
  });

  it('refuses a NUL, at which bcrypt would stop reading', () => {
    expect(codeOf(() => assertHashable('a\0b'))).toBe('invalid_body');
  });

  it('refuses what is short, monotonous, common, or the address itself', () => {
    for (const weak of [
      'short-one11',
      'aaaaaaaaaaaa',
      'abababababab',
      'Password2026!',
      'passwordpassword',
      'ADMINISTRATOR1',
      'Qwertyuiop123',
      '1q2w3e4r5t6y',
      '123456789012',
      'Summer2026!!!',
      'ada@example.org',
    ]) {
      expect(
        codeOf(() => assertStrong(weak, ['ada@example.org'])),
        weak,
      ).toBe('weak_password');
    }
  });

  it('asks for no composition: a long plain one is good', () => {
    for (const good of ['seven grey herons', 'tuvok-lives-in-delta', 'пароль-очень-длинный', 'k8#Lm2!qWz9$']) {
      expect(
        codeOf(() => assertStrong(good)),
        good,
      ).toBeNull();
    }
  });
});
