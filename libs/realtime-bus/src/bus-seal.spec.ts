import { describe, expect, it } from 'vitest';
import { BusSeal } from './bus-seal.js';

const hex = (digit: string) => digit.repeat(64);
const secretsOf = (encKeySecret: string, encKeySecretPrevious: readonly string[] = []) => ({
  encKeySecret,
  encKeySecretPrevious,
  envKeySalt: hex('5'),
});
const clock = { ms: Date.UTC(2026, 10, 22, 23, 59, 50), now: () => clock.ms };
const sealOf = (...secrets: Parameters<typeof secretsOf>) => new BusSeal(secretsOf(...secrets), clock);
const seal = sealOf(hex('a'));
const TEXT = JSON.stringify({ out: { token: 'canary', ü: '💡' } });

describe('a sealed text', () => {
  it('opens where it was sent to, shows nothing of itself, and never looks the same twice', () => {
    const [one, other] = [seal.seal('weft:plays:c1', TEXT), seal.seal('weft:plays:c1', TEXT)];
    expect(sealOf(hex('a')).open('weft:plays:c1', one)).toBe(TEXT);
    expect(one).not.toBe(other);
    expect(Buffer.from(one.split('.')[2] ?? '', 'base64').toString('latin1')).not.toContain('canary');
  });

  it('does not open on the channel of another company', () => {
    expect(seal.open('weft:plays:c2', seal.seal('weft:plays:c1', TEXT))).toBeNull();
  });

  it('does not open when any byte of it was changed, or when it was cut anywhere', () => {
    const sealed = seal.seal('s', TEXT);
    const [id = '', at = '', body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64');
    for (let i = 0; i < bytes.length; i += 1) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(seal.open('s', `${id}.${at}.${changed.toString('base64')}`)).toBeNull();
    }
    // the last byte is encoded in the last 4 characters
    for (let length = 0; length < sealed.length - 4; length += 1)
      expect(seal.open('s', sealed.slice(0, length))).toBeNull();
    expect(seal.open('s', `${id}.${Number(at) + 1}.${body}`)).toBeNull();
  });

  it('does not open a while later, nor when it claims to be of another time', () => {
    const sealed = seal.seal('s', TEXT);
    const sentAt = clock.ms;
    for (const [passed, opens] of [
      [29_000, true], // after midnight
      [31_000, false],
      [-31_000, false],
    ] as const) {
      clock.ms = sentAt + passed;
      expect(seal.open('s', sealed) !== null).toBe(opens);
    }
    clock.ms = sentAt + 60_000;
    const [id, , body] = sealed.split('.');
    expect(seal.open('s', `${id}.${clock.ms}.${body}`)).toBeNull();
    clock.ms = sentAt;
  });

  it('opens under an earlier secret of the installation, and under no other', () => {
    const sealed = seal.seal('s', TEXT);
    expect(sealOf(hex('b'), [hex('a')]).open('s', sealed)).toBe(TEXT);
    expect(sealOf(hex('b')).open('s', sealed)).toBeNull();
  });

  it.each(['', '.', '..', 'a.b.c', '1.1.', 'null', `${seal.seal('s', '').split('.')[0]}.${clock.ms}.AAAA`])(
    'is not %j',
    (text) => expect(seal.open('s', text)).toBeNull(),
  );
});
