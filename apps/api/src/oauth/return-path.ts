import { WeftError } from '@weft/kernel';

const MAX_LENGTH = 2_000;
const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;
const ANYWHERE = 'https://weft.invalid';

/**
 * Where a browser goes after it came back from a provider: a path on this site and nothing that a browser could read as
 * another one's address.
 *
 * @throws WeftError `invalid_query`, or the code given
 */
export function returnPath(text: string | undefined, code: 'invalid_query' | 'invalid_body' = 'invalid_query'): string {
  if (text === undefined) return '/';
  const isPath = text.length <= MAX_LENGTH && PATH.test(text);
  if (isPath && URL.parse(text, ANYWHERE)?.origin === ANYWHERE) return text;
  const message = 'returnTo must be a path on this site, such as /flows';
  const path = code === 'invalid_query' ? 'query.returnTo' : 'returnTo';
  throw new WeftError(code, `${message}.`, { errors: [{ path, code: 'invalid', message }] });
}
