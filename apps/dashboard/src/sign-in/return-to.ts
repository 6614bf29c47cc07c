/** Where to go after signing in: a path on this site, whatever a link says. */
export function pathOfThisSite(text: string | undefined): string {
  if (text === undefined || !/^\/(?![/\\])/.test(text)) return '/';
  const url = URL.parse(text, 'https://weft.invalid');
  if (url?.origin !== 'https://weft.invalid' || url.pathname === '/login') return '/';
  return url.pathname + url.search + url.hash;
}
