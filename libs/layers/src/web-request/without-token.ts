import type { EgressResponse } from '@weft/egress';
import { spellingsOf, withoutSecret } from '../running/without-secret.js';

/** The answer of a peer that may say back what it was sent: the token stands nowhere in it. */
export function withoutToken(response: EgressResponse, token: string): EgressResponse {
  const masked = (text: string): string => withoutSecret(text, token);
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, masked(value)]));
  const says = spellingsOf(token).some((spelling) => response.body.includes(spelling));
  // Byte by byte: whatever the encoding of the rest is, it stays.
  const body = says ? Buffer.from(masked(response.body.toString('latin1')), 'latin1') : response.body;
  return { ...response, headers, body };
}
