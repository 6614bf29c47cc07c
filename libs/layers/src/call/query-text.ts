/**
 * Adds and removes parameters of an address and leaves its other bytes as they are. `URL.searchParams` writes the whole
 * query anew (`%20` becomes `+`, `flag` becomes `flag=`), which a signed address does not survive.
 */

/** The address with these parameters at the end of its query; as it is when it cannot be read. */
export function withParameters(address: string, parameters: readonly (readonly [name: string, value: string])[]) {
  const url = parameters.length === 0 ? null : URL.parse(address);
  if (!url) return address;
  const added = parameters.map((pair) => pair.map(encoded).join('=')).join('&');
  const isSeparated = url.search === '' || url.search.endsWith('&');
  url.search = `${url.search}${isSeparated ? '' : '&'}${added}`;
  return url.href;
}

/** The address without every parameter of this name; as it is when it has none, or cannot be read. */
export function withoutParameter(address: string, name: string): string {
  const url = URL.parse(address);
  if (!url?.searchParams.has(name)) return address;
  const others = url.search
    .slice(1)
    .split('&')
    .filter((part) => !new URLSearchParams(part).has(name));
  url.search = others.join('&');
  return url.href;
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
