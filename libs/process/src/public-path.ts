/** What follows `/hooks/`, wherever it stands: the address of a trigger is a secret, also when it was misspelled. */
const SECRET_PART = /((?:^|\/)hooks\/+)[^/?#][^?#]*/i;

/** The path of a request without its query, in a form that logs and problems may show. */
export function publicPathOf(url: string | undefined): string {
  const path = (url ?? '').split('?', 1)[0] as string;
  if (SECRET_PART.test(path)) return path.replace(SECRET_PART, '$1[token]');
  // another spelling of the same path, which the router reads, too
  return path.includes('%') && SECRET_PART.test(decoded(path)) ? '/hooks/[token]' : path;
}

function decoded(path: string): string {
  return path.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
