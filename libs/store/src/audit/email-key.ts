import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * What makes two addresses the same account: letter case, compatibility forms of characters and the two ways to write an
 * international domain (`xn--…`) do not count.
 */
export function emailKey(email: string): string {
  const key = email.trim().normalize('NFKC').toLowerCase();
  const at = key.lastIndexOf('@') + 1;
  if (at === 0) return key;
  return key.slice(0, at) + (domainToUnicode(domainToASCII(key.slice(at))) || key.slice(at));
}

const MAX_LENGTH = 320;
/** Signs that are drawn as nothing, and that Unicode does not call ignorable. */
const BLANK = '\\u2800\\ufffc\\u{13441}\\u{13442}\\u{1d159}';
const PART = `[^\\s@\\p{Cc}\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}${BLANK}]+`;
const ADDRESS = new RegExp(`^${PART}@(${PART})$`, 'u');

/**
 * Whether a text can be an address: without what nobody sees, by which two that look alike would be two, and with a domain that
 * is written as it is (IDNA): no other dots, no other forms of letters.
 */
export function isEmailAddress(text: string): boolean {
  const domain = text.length <= MAX_LENGTH ? ADDRESS.exec(text)?.[1]?.toLowerCase() : undefined;
  if (domain === undefined) return false;
  const ascii = domainToASCII(domain);
  return ascii.split('.').every(Boolean) && (domain === ascii || domain.normalize('NFC') === domainToUnicode(ascii));
}
