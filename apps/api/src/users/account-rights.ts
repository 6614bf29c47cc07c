import type { Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { openMembershipIn, type UserDocument } from '@weft/records';

/**
 * The companies whose people the caller may change: those where the caller is an admin. A key acts in its own company only.
 *
 * @param self the caller's own account
 */
export function administeredBy(caller: Principal, self: UserDocument | null): ReadonlySet<string> {
  const own = caller.role === 'admin' ? [caller.companyId] : [];
  if (caller.auth === 'api_key' || !self) return new Set(own);
  const places = self.company_roles.filter(({ company_id }) => openMembershipIn(self, company_id)?.role === 'admin');
  return new Set([...own, ...places.map(({ company_id }) => company_id)]);
}

/**
 * A user has one account in all their companies. The admins of one company have no right to change what opens the others: the
 * password and the name. Only operators may change an operator's.
 *
 * @throws WeftError `denied`
 */
export function assertOwnsAccount(caller: Principal, administered: ReadonlySet<string>, user: UserDocument): void {
  if (user.operator && !caller.operator) {
    throw new WeftError('denied', 'Only an operator may do this to the account of an operator.');
  }
  if (user.company_roles.some(({ company_id }) => !administered.has(company_id)) && !caller.operator) {
    throw new WeftError('denied', 'The user belongs to other companies, too: only an operator may do this.');
  }
}
