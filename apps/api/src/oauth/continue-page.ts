/** Without script, without anything from anywhere: a link that follows itself. */
export const CONTINUE_PAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * A page that goes on to a path of this site. A browser that another site sent here carries no `SameSite=Strict` cookie along
 * a redirect, not even one that was just set; from a page of our own it does.
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

/** True for a browser that was sent by another site. */
export function comesFromElsewhere(secFetchSite: string | readonly string[] | undefined): boolean {
  return secFetchSite === 'cross-site';
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
