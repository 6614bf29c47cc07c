/** Whether a text is a page, or part of one. */
export function isHtml(text: string): boolean {
  return /^\s*(?:<!--|<!doctype html|<(?:html|head|body|table|div|p|h[1-6]|ul|ol|section|article|main|style|center|span|b|strong)[\s>])/i.test(
    text.slice(0, 500),
  );
}

/** Longer ones are shown as text. */
export const MAX_HTML = 500_000;

/** What fetches, sends, or leads elsewhere. */
const LEFT_OUT = 'script, link, meta, base, iframe, frame, frameset, object, embed, applet, portal, template, noscript';

/**
 * A page for a frame that has a sandbox without any permission: without scripts, and with a policy by which nothing is fetched. Its
 * styles carry the nonce, because the policy of the dashboard holds in the frame, too, which allows no styles of elements.
 */
export function framedPage(html: string, nonce: string): string {
  // an inert document: nothing in it is fetched or run
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const each of page.querySelectorAll(LEFT_OUT)) each.remove();
  const rules: string[] = [];
  for (const each of page.querySelectorAll('[style]')) {
    rules.push(`[data-own-style="${rules.length}"]{${each.getAttribute('style') ?? ''}}`);
    each.setAttribute('data-own-style', String(rules.length - 1));
    each.removeAttribute('style');
  }
  for (const each of page.querySelectorAll('a, area, form')) {
    for (const name of ['href', 'xlink:href', 'ping', 'target', 'action']) each.removeAttribute(name);
  }
  for (const each of page.querySelectorAll('[src], [srcset], [poster], [background], [data]')) {
    for (const name of ['src', 'srcset', 'poster', 'background', 'data']) {
      if (!/^data:image\//i.test(each.getAttribute(name) ?? '')) each.removeAttribute(name);
    }
  }
  const styles = [...page.querySelectorAll('style')].map(({ textContent }) => textContent);
  for (const each of page.querySelectorAll('style')) each.remove();
  const style = page.createElement('style');
  style.setAttribute('nonce', nonce);
  // no end of the element stands in it
  style.textContent = [...styles, ...rules].join('\n').replaceAll('<', '\\3c ');
  const policy = page.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; form-action 'none'; base-uri 'none'`;
  page.head.prepend(policy, style);
  return `<!doctype html>${page.documentElement.outerHTML}`;
}
