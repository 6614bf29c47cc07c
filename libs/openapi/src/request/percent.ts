/** Percent-encoding of RFC 3986, as RFC 6570 §3.2.1 expands values. */

const UNRESERVED = /^[\w.~-]*$/;
const SUB_DELIMITERS = /[!'()*]/g;
const RESERVED = /[:/?#[\]@!$&'()*+,;=]/;
/** What is left as it is where reserved characters are allowed: those, and what is encoded already. */
const ALLOWED = /%[0-9A-Fa-f]{2}|[:/?#[\]@!$&'()*+,;=]/gu;

/** Everything but unreserved characters is encoded, as UTF-8. */
export function encoded(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(SUB_DELIMITERS, hex);
}

/**
 * Reserved characters stay, except those that would end the part of the address that the text is in.
 *
 * @param ends characters that are encoded nevertheless
 */
export function encodedButReserved(text: string, ends: string): string {
  let out = '';
  let last = 0;
  for (const match of text.matchAll(ALLOWED)) {
    const [token] = match;
    out += encoded(text.slice(last, match.index));
    out += RESERVED.test(token) && ends.includes(token) ? hex(token) : token;
    last = match.index + token.length;
  }
  return out + encoded(text.slice(last));
}

function hex(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
