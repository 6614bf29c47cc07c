import { randomBytes } from 'node:crypto';
import { WeftError, type Clock, type NewId } from '@weft/kernel';
import { emailKey, found, isFounded, SystemScope, type Mongo } from '@weft/persistence';
import { PasswordHasher } from './password-hasher.js';
import { assertStrong } from './password-policy.js';

const DEFAULT_EMAIL = 'admin@weft.local';
const COMPANY_NAME = 'Weft';

const FOUNDING = new SystemScope('the first company does not exist yet');

export interface FirstAdminOptions {
  readonly mongo: Mongo;
  /** `Settings.admin`: null is made up. */
  readonly admin: { readonly email: string | null; readonly password: string | null };
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Who can sign in now. */
export interface FirstAdmin {
  readonly companyId: string;
  readonly userId: string;
  readonly email: string;
  /** The password that was made up, to be printed now: it is kept nowhere. Null where it was given. */
  readonly password: string | null;
}

/**
 * On an empty database makes the first company and its admin, who is also the operator. Every process calls this at boot,
 * after `ensureIndexes`; of several at once one makes them.
 *
 * @returns null when they were there already, or another process made them
 * @throws Error telling what is wrong with WEFT_ADMIN_PASSWORD
 */
export async function ensureFirstAdmin({ mongo, admin, clock, newId }: FirstAdminOptions): Promise<FirstAdmin | null> {
  if (await isFounded(mongo, FOUNDING)) return null;
  const email = admin.email ?? DEFAULT_EMAIL;
  const password = admin.password ?? randomBytes(18).toString('base64url');
  assertUsable(password, email);
  const password_hash = await new PasswordHasher().hash(password);
  const created_at = new Date(clock.now());
  const company = { _id: newId(), name: COMPANY_NAME, active: true, created_at };
  const user = {
    _id: newId(),
    email,
    email_key: emailKey(email),
    name: null,
    password_hash,
    operator: true,
    company_roles: [{ company_id: company._id, role: 'admin', group_ids: [] }],
    created_at,
    last_activity: null,
  } as const;
  if (!(await found(mongo, FOUNDING, company, user))) return null;
  return { companyId: company._id, userId: user._id, email, password: admin.password === null ? password : null };
}

function assertUsable(password: string, email: string): void {
  try {
    assertStrong(password, [email]);
  } catch (error) {
    if (!(error instanceof WeftError)) throw error;
    throw new Error(`WEFT_ADMIN_PASSWORD cannot be used. ${error.message} Set another one.`, { cause: error });
  }
}
