import { type AuditAction, type AuditChange, type AuditEntryInput } from '@weft/store';
import { API_KEYS, EXTERNAL_IDENTITIES, membershipIn, USERS, type UserDocument, type WaysIn } from '@weft/records';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';

/** An entry about a user, in the log of the company that it concerns. */
export function userEntry(
  actor: Actor,
  action: AuditAction,
  user: Pick<UserDocument, '_id'>,
  companyId: string,
  changes: Readonly<Record<string, AuditChange>> = {},
): AuditEntryInput {
  const subject = { collection: USERS, resource_type: 'user', resource_id: user._id, company_id: companyId };
  return actorEntry(actor, action, subject, changes);
}

/** One entry in each company that the user joined; no company learns of the others. Without the address, which would outlive redaction. */
export function enrolEntries(
  actor: Actor,
  user: UserDocument,
  places: readonly { readonly company_id: string; readonly role: string }[],
): AuditEntryInput[] {
  return places.map(({ company_id, role }) =>
    userEntry(actor, 'user_created', user, company_id, {
      role: { before: null, after: role },
    }),
  );
}

/** A reset, and each thing that ended with it. */
export function resetEntries(
  actor: Actor,
  user: Pick<UserDocument, '_id'>,
  { identities, keys }: WaysIn,
): AuditEntryInput[] {
  const here = actor.caller.companyId;
  return [
    userEntry(actor, 'password_reset', user, here),
    ...identities.map(({ issuer }) => {
      const changes = { issuer: { before: issuer, after: null } };
      return {
        ...userEntry(actor, 'external_identity_unlinked', user, here, changes),
        collection: EXTERNAL_IDENTITIES,
      };
    }),
    ...keys.map(({ _id, company_id }) =>
      actorEntry(actor, 'api_key_revoked', {
        collection: API_KEYS,
        resource_type: 'api_key',
        resource_id: _id,
        company_id,
      }),
    ),
  ];
}

/** What changed, each thing in the log of the company where it did. */
export function changeEntries(
  actor: Actor,
  { before, after }: { readonly before: UserDocument; readonly after: UserDocument },
): AuditEntryInput[] {
  const here = actor.caller.companyId;
  const renamed = changesBetween(before, after, ['name']);
  const entries = Object.keys(renamed).length > 0 ? [userEntry(actor, 'user_updated', after, here, renamed)] : [];
  for (const place of after.company_roles) {
    const was = membershipIn(before, place.company_id);
    const about = (action: AuditAction, changes: Record<string, AuditChange> = {}): void => {
      entries.push(userEntry(actor, action, after, place.company_id, changes));
    };
    if (was?.role !== place.role) about('role_changed', { role: { before: was?.role ?? null, after: place.role } });
    if (was?.deactivated !== place.deactivated) about(place.deactivated ? 'user_deactivated' : 'user_reactivated');
  }
  return entries;
}
