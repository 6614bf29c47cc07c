import { WeftError, type Clock, type NewId } from '@weft/kernel';
import { emailKey, SystemScope, type Mongo } from '@weft/store';
import { provision, isProvisioned, UserRepository } from '@weft/records';
import { PasswordHasher } from './password-hasher.js';
import { assertStrong } from './password-policy.js';

const DEFAULT_EMAIL = 'admin@weft.local';
const COMPANY_NAME = 'Weft';

const PROVISIONING = new SystemScope('the first company does not exist yet');

/** `Settings.admin`. */
interface AdminSettings {
  readonly email: string | null;
  readonly password: string | null;
}

export interface FirstAdminOptions {
  readonly mongo: Mongo;
  readonly admin: AdminSettings;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** The admin that was just made. */
export interface FirstAdmin {
  readonly companyId: string;
  readonly userId: string;
  readonly email: string;
}

/**
 * On an empty database makes the first company and its admin, who is also the operator. After `ensureIndexes`; of several
 * concurrent processes one makes them. No password is generated: it would have to be shown in logs, which many people read.
 *
 * @returns null when they exist already, or another process made them
 * @throws Error that says what to do about WEFT_ADMIN_PASSWORD
 */
export async function ensureFirstAdmin({ mongo, admin, clock, newId }: FirstAdminOptions): Promise<FirstAdmin | null> {
  if (await isProvisioned(mongo, PROVISIONING)) return null;
  const email = admin.email ?? DEFAULT_EMAIL;
  if (admin.password === null) {
    throw new Error(
      `The database is empty. Set WEFT_ADMIN_PASSWORD, 12 characters to 72 bytes: the first admin, ${email}, gets it ` +
        '(WEFT_ADMIN_EMAIL for another address). It is read this once.',
    );
  }
  assertUsable(admin.password, email);
  const password_hash = await new PasswordHasher().hash(admin.password);
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
  if (!(await provision(mongo, PROVISIONING, company, user))) return null;
  return { companyId: company._id, userId: user._id, email };
}

/** Whether an operator has the configured address and password; true when neither is configured. */
export async function matchesAdminSettings(mongo: Mongo, { email, password }: AdminSettings): Promise<boolean> {
  if (email === null && password === null) return true;
  const users = new UserRepository(mongo);
  const known = email === null ? users.listOperators(PROVISIONING) : users.findByEmail(PROVISIONING, email);
  const operators = (await known).filter(({ operator }) => operator);
  if (password === null) return operators.length > 0;
  const hashes = operators.map(({ password_hash }) => password_hash);
  return (await new PasswordHasher().matching(password, hashes)).size > 0;
}

function assertUsable(password: string, email: string): void {
  try {
    assertStrong(password, [email]);
  } catch (error) {
    if (!(error instanceof WeftError)) throw error;
    throw new Error(`WEFT_ADMIN_PASSWORD cannot be used. ${error.message} Set another one.`, { cause: error });
  }
}
