import { rulesOver, type Principal } from '@weft/access';
import type { IntegrationDocument } from '@weft/records';

/**
 * docs/http-api.md §1.8, row "integration links": admins have rights on all links, integration managers on those that they
 * made or that were granted to them.
 */
type Caller = Pick<Principal, 'userId' | 'role'>;
type Link = Pick<IntegrationDocument, 'UserID'>;

/** @param granted the permissions of every grant on the link that reaches the caller */
export function maySeeLink(caller: Caller, link: Link, granted: readonly string[]): boolean {
  return (
    caller.role === 'admin' ||
    link.UserID === caller.userId ||
    granted.includes('read') ||
    mayEditLink(caller, link, granted)
  );
}

export function mayEditLink(caller: Caller, link: Link, granted: readonly string[]): boolean {
  return caller.role === 'admin' || link.UserID === caller.userId || granted.includes('edit');
}

/** May let layers call with it: where to, and so who learns its token, they say. */
export function mayUseLink(caller: Caller, link: Link, granted: readonly string[]): boolean {
  return rulesOver(caller, link.UserID) || granted.includes('execute');
}
