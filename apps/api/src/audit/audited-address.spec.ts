import { describe, expect, it } from 'vitest';
import { auditedAddress } from './audited-address.js';

describe('an address in the audit log', () => {
  it('is its origin and a digest of the whole', () => {
    const shown = auditedAddress('https://hooks.example.com/services/T000/B000/CANARY?key=CANARY');
    expect(shown).toMatch(/^https:\/\/hooks\.example\.com\/#[0-9a-f]{16}$/);
    expect(auditedAddress('https://hooks.example.com/services/T000/B000/CANARY?key=OTHER')).not.toBe(shown);
    expect(auditedAddress('not an address CANARY')).toMatch(/^\/#[0-9a-f]{16}$/);
  });

  it('is shown whole when it is only an origin', () => {
    for (const address of ['https://api.example.com', 'smtps://mail.example.com:465']) {
      expect(auditedAddress(address)).toBe(address);
    }
    expect([auditedAddress(null), auditedAddress(undefined)]).toEqual([null, null]);
  });
});
