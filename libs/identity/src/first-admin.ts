import { WeftError, type Clock, type NewId } from '@weft/kernel';
import { emailKey, found, isFounded, SystemScope, UserRepository, type Mongo } from '@weft/persistence';
import { PasswordHasher } from './password-hasher.js';
import { assertStrong } from './password-policy.js';

const DEFAULT_EMAIL = 'admin@weft.local';
const COMPANY_NAME = 'Weft';

const FOUNDING = new SystemScope('the first company does not exist yet');

/** `Settings.admin`. */
interface GivenAdmin {
  readonly email: string | null;
  readonly password: string | null;
}

export interface FirstAdminOptions {
  readonly mongo: Mongo;
  readonly admin: GivenAdmin;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Who can sign in now. */
export interface FirstAdmin {
  readonly companyId: string;
  readonly userId: string;
  readonly email: string;
}

/**
 * On an empty database makes the first company and its admin, who is also the operator. After `ensureIndexes`; of several
 * processes at once one makes them. A password is never made up here: it would have to be told, and logs are read by many.
 *
 * @returns null when they were there already, or another process made them
 * @throws Error telling what to do about WEFT_ADMIN_PASSWORD
 */
export async function ensureFirstAdmin({ mongo, admin, clock, newId }: FirstAdminOptions): Promise<FirstAdmin | null> {
  if (await isFounded(mongo, FOUNDING)) return null;
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
  if (!(await found(mongo, FOUNDING, company, user))) return null;
  return { companyId: company._id, userId: user._id, email };
}

/** Whether an operator has what is given of address and password; true where nothing is given. */
export async function admitsGivenAdmin(mongo: Mongo, { email, password }: GivenAdmin): Promise<boolean> {
  if (email === null && password === null) return true;
  const users = new UserRepository(mongo);
  const known = email === null ? users.listOperators(FOUNDING) : users.findByEmail(FOUNDING, email);
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
