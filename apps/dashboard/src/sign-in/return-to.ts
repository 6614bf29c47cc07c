const MAX_LENGTH = 2_000;
/** Pages that sign in, those that act when they are opened, such as `/auth/login/…?link=true`, and other sites (`//`). */
const NO_TARGET = /^\/(login$|signed-in$|auth\/|\/)/;

/** Where to go after signing in: a path on this site, whatever a link says. */
export function pathOfThisSite(text: string | undefined): string {
  if (text === undefined || !/^\/(?![/\\])/.test(text)) return '/';
  const url = URL.parse(text, 'https://weft.invalid');
  if (url?.origin !== 'https://weft.invalid' || !mayFollow(url.pathname)) return '/';
  return url.pathname + url.search + url.hash;
}

/** Where a provider sends the browser: to the page that tells the other tabs, and goes on to the target. */
export function viaSignedIn(target: string): string {
  const path = `/signed-in?to=${encodeURIComponent(target)}`;
  return path.length <= MAX_LENGTH ? path : '/signed-in?to=%2F';
}

function mayFollow(path: string): boolean {
  try {
    return !NO_TARGET.test(decodeURIComponent(path).toLowerCase());
  } catch {
    return false; // a lone % is not part of a valid path
  }
}
