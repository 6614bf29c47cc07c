import type { EgressResponse } from '@weft/egress';
import { masked, spellingsOf } from '../running/without-secret.js';

/**
 * The response of a server that may repeat what it was sent: the secrets are replaced everywhere, except in headers in
 * `kept`.
 */
export function withoutSecrets(
  response: EgressResponse,
  secrets: readonly string[],
  kept: readonly string[] = [],
): EgressResponse {
  if (secrets.length === 0) return response;
  const spellings = secrets.flatMap(spellingsOf);
  const { stream } = response;
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      kept.includes(name) ? value : masked(value, spellings),
    ]),
  );
  const says = spellings.some((spelling) => response.body.includes(spelling));
  // byte by byte: the rest stays as it is, in any encoding
  const body = says
    ? Buffer.from(masked(response.body.toString('latin1'), inBytes(spellings)), 'latin1')
    : response.body;
  return { ...response, headers, body, ...(stream && { stream: maskedStream(stream, spellings) }) };
}

/** Also when two chunks share a secret: what may be its beginning is held back until the next chunk. */
async function* maskedStream(chunks: AsyncIterable<Buffer>, spellings: readonly string[]): AsyncGenerator<Buffer> {
  const longest = Math.max(...spellings.map((spelling) => Buffer.byteLength(spelling)));
  const wanted = inBytes(spellings);
  let held = '';
  for await (const chunk of chunks) {
    const text = masked(held + chunk.toString('latin1'), wanted);
    held = text.slice(Math.max(0, text.length - longest + 1));
    yield Buffer.from(text.slice(0, text.length - held.length), 'latin1');
  }
  yield Buffer.from(held, 'latin1');
}

/** The UTF-8 bytes, read as Latin-1. */
function inBytes(spellings: readonly string[]): string[] {
  return spellings.map((spelling) => Buffer.from(spelling).toString('latin1'));
}
