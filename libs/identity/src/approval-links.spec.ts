import type { Settings } from '@weft/config';
import { describe, expect, it } from 'vitest';
import { ApprovalLinks } from './approval-links.js';

const place = { companyId: 'c', playId: 'p', ref: 'ok', approver: null };

function links(encKeySecret: string, ...encKeySecretPrevious: string[]): ApprovalLinks {
  const secrets = { encKeySecret, encKeySecretPrevious, envKeySalt: 'salt' };
  return new ApprovalLinks({ secrets, server: { apiUrl: 'https://weft.test' } } as unknown as Settings);
}
const tokenOf = (url: string): string => url.slice(url.indexOf('#') + 1);

describe('ApprovalLinks', () => {
  it('reads what it made, and what a secret before made', () => {
    const url = links('one').urlOf(place);
    expect(url.startsWith('https://weft.test/approve#')).toBe(true);
    expect(links('one').urlOf(place)).toBe(url);
    expect(links('one').read(tokenOf(url))).toEqual(place);
    expect(links('two', 'one').read(tokenOf(url))).toEqual(place);
    expect(links('two').read(tokenOf(url))).toBeNull();
  });

  it('reads nothing that was changed, cut or made up', () => {
    const token = tokenOf(links('one').urlOf({ ...place, approver: 'ada' }));
    const [body = '', mac = ''] = token.split('.');
    const other = Buffer.from(JSON.stringify(['c', 'p', 'ok', 'bob'])).toString('base64url');
    const cut = ['', '.', body, `.${mac}`, `${body}.`, `${body}.${mac.slice(0, -1)}`, `${body}.${mac}.${mac}`];
    for (const text of [...cut, `${other}.${mac}`, `${body}.${mac}=`, `${token}A`, `${'A'.repeat(1_000)}.${mac}`]) {
      expect(links('one').read(text), text).toBeNull();
    }
  });
});
