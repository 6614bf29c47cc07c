import type { EgressResponse } from '@weft/egress';

const MASK = '[secret]';

/** The answer of a peer that may say back what it was sent: the token stands nowhere in it. */
export function withoutToken(response: EgressResponse, token: string): EgressResponse {
  const spellings = spellingsOf(token);
  const masked = (text: string): string => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, MASK), text);
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, masked(value)]));
  const says = spellings.some((spelling) => response.body.includes(spelling));
  // Byte by byte: whatever the encoding of the rest is, it stays.
  const body = says ? Buffer.from(masked(response.body.toString('latin1')), 'latin1') : response.body;
  return { ...response, headers, body };
}

/** As it is, and as JSON and forms write it. */
function spellingsOf(token: string): string[] {
  const inJson = JSON.stringify(token).slice(1, -1);
  const slashes = [token, inJson].map((text) => text.replaceAll('/', String.raw`\/`));
  return [...new Set([token, inJson, ...slashes, encodeURIComponent(token)])];
}
