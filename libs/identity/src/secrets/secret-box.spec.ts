import { describe, expect, it } from 'vitest';
import { SecretBox, SecretUnreadable, type SecretPlace } from './secret-box.js';

const hex = (digit: string) => digit.repeat(64);
const boxOf = (secret: string, previous: readonly string[] = [], salt = hex('5')) =>
  new SecretBox({ encKeySecret: secret, encKeySecretPrevious: previous, envKeySalt: salt });

const PLACE: SecretPlace = { companyId: 'c1', collection: 'integrations', recordId: 'r1', field: 'AccessToken' };
const TEXT = 'ya29.a0-grüße';
const box = boxOf(hex('a'));

describe('a stored secret', () => {
  it('opens where it was sealed and shows nothing of itself', () => {
    const sealed = box.seal(PLACE, TEXT);
    expect(box.open(PLACE, sealed)).toBe(TEXT);
    expect(sealed).toMatch(/^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/);
    expect(Buffer.from(sealed.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('ya29');
  });

  it('has a fresh 96-bit IV each time', () => {
    const ivs = Array.from({ length: 200 }, () => box.seal(PLACE, TEXT).split('.')[2] ?? '');
    expect(new Set(ivs).size).toBe(200);
    expect(Buffer.from(ivs[0] ?? '', 'base64url')).toHaveLength(12);
  });

  it.each<[string, Partial<SecretPlace>]>([
    ['company', { companyId: 'c2' }],
    ['company of none', { companyId: null }],
    ['collection', { collection: 'oauth_providers' }],
    ['record', { recordId: 'r2' }],
    ['field', { field: 'RefreshToken' }],
  ])('does not open in another %s', (_what, part) => {
    const sealed = box.seal(PLACE, TEXT);
    expect(() => box.open({ ...PLACE, ...part }, sealed)).toThrow(SecretUnreadable);
  });

  it('tells places apart whose parts join to the same text', () => {
    const sealed = box.seal({ ...PLACE, collection: 'ab', recordId: 'c' }, TEXT);
    expect(() => box.open({ ...PLACE, collection: 'a', recordId: 'bc' }, sealed)).toThrow(SecretUnreadable);
  });

  it.each(['abc', 'abcd', 'abcde'])('does not open after any one character of %j sealed was changed', (text) => {
    const sealed = box.seal(PLACE, text);
    for (let at = 0; at < sealed.length; at += 1) {
      for (const other of 'ABCDQgw_'.replace(sealed[at] ?? '', '')) {
        const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
        expect(() => box.open(PLACE, changed), `${other} at ${at}`).toThrow(SecretUnreadable);
      }
    }
  });

  it('does not open when it is cut, lengthened or no sealed secret at all', () => {
    const sealed = box.seal(PLACE, TEXT);
    for (const text of [sealed.slice(0, -4), `${sealed}AAAA`, `${sealed}.x`, TEXT, '', 'v1...', 'v1.a.b.c']) {
      expect(() => box.open(PLACE, text), text).toThrow(SecretUnreadable);
    }
  });

  it('opens under an earlier key while that one is given, and is known to be due for rotation', () => {
    const old = box.seal(PLACE, TEXT);
    const rotated = boxOf(hex('b'), [hex('a')]);
    expect(rotated.open(PLACE, old)).toBe(TEXT);
    expect([rotated.isCurrent(old), rotated.isCurrent(rotated.seal(PLACE, TEXT))]).toEqual([false, true]);
    expect(() => boxOf(hex('b')).open(PLACE, old)).toThrow(/ENC_KEY_SECRET_PREVIOUS/);
  });

  it('hangs on the salt as well', () => {
    expect(() => boxOf(hex('a'), [], hex('6')).open(PLACE, box.seal(PLACE, TEXT))).toThrow(SecretUnreadable);
  });

  it('says in its error where, and never what', () => {
    expect(() => boxOf(hex('c')).open(PLACE, box.seal(PLACE, TEXT))).toThrow(/AccessToken of integrations r1/);
    expect(() => box.open(PLACE, TEXT)).not.toThrow(new RegExp(TEXT));
  });
});
