/** The links of invitations and resets end in `?token=…`. */
export function readTokenSearch(search: Record<string, unknown>): { token?: string } {
  return typeof search.token === 'string' ? { token: search.token } : {};
}
