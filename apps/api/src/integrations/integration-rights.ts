import { rulesOver, type Principal } from '@weft/access';
import type { IntegrationDocument } from '@weft/persistence';

/**
 * Specification §5.4, row "Integration links", and design §14: admins have all, who manages integrations the ones that they
 * made or were granted.
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
