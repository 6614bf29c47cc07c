import { WeftError } from '@weft/kernel';

const MAX_LENGTH = 2_000;
const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;
const ANYWHERE = 'https://weft.invalid';
/** These paths act when they are opened: returning to `/auth/login/…?link=true` would link an account that nobody asked for. */
const ACTING = '/auth/';

/**
 * Checks where a browser goes after an authorization flow: a path on this site, which no browser can read as the address of
 * another site.
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

/** True for a page. The path is resolved as the browser and the router do: `..` and `%61` included. */
function leadsToPage(text: string): boolean {
  const url = URL.parse(text, ANYWHERE);
  if (url?.origin !== ANYWHERE) return false;
  try {
    return !decodeURIComponent(url.pathname).toLowerCase().startsWith(ACTING);
  } catch {
    return false; // a lone % is not part of a valid path
  }
}
