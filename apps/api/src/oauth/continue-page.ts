/** The page needs no script and loads nothing: it is a link with an automatic refresh. */
export const CONTINUE_PAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * A page that redirects to a path of this site. After a navigation from another site the browser sends no `SameSite=Strict`
 * cookie along a redirect, not even one that was just set; it does send it when a page of our own navigates.
 *
 * @param path checked by `returnPath`
 */
export function continuePage(path: string): string {
  const target = escapeHtml(path);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${target}">
<title>Signed in</title>
<p><a href="${target}">Continue</a></p>
</html>
`;
}

/** True when another site navigated the browser here. */
export function isCrossSiteNavigation(secFetchSite: string | readonly string[] | undefined): boolean {
  return secFetchSite === 'cross-site';
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
