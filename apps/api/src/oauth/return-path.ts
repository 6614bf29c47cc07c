import { WeftError } from '@weft/kernel';

const MAX_LENGTH = 2_000;
const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;
const ANYWHERE = 'https://weft.invalid';
/** What acts when it is opened: a way back that goes on to `/auth/login/…?link=true` would tie an account nobody asked for. */
const ACTING = '/auth/';

/**
 * Where a browser goes after it came back from a provider: a path on this site and nothing that a browser could read as
 * another one's address.
 *
 * @throws WeftError `invalid_query`, or the code given
 */
export function returnPath(text: string | undefined, code: 'invalid_query' | 'invalid_body' = 'invalid_query'): string {
  if (text === undefined) return '/';
  if (text.length <= MAX_LENGTH && PATH.test(text) && leadsToPage(text)) return text;
  const message = 'returnTo must be a path on this site, such as /flows';
  const path = code === 'invalid_query' ? 'query.returnTo' : 'returnTo';
  throw new WeftError(code, `${message}.`, { errors: [{ path, code: 'invalid', message }] });
}

/** As the browser resolves it and the router spells it out, `..` and `%61` included. */
function leadsToPage(text: string): boolean {
  const url = URL.parse(text, ANYWHERE);
  if (url?.origin !== ANYWHERE) return false;
  try {
    return !decodeURIComponent(url.pathname).toLowerCase().startsWith(ACTING);
  } catch {
    return false; // a lone % is no path of this site
  }
}
