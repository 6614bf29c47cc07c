import { randomBytes } from 'node:crypto';
import { emailKey, SystemScope, type Mongo } from '@weft/store';
import { PasswordRepository, UserRepository, USERS, type WaysIn } from '@weft/records';
import { PasswordHasher } from './password-hasher.js';

const RESCUE = new SystemScope('whoever has the database and its secrets gives an operator a new password');

/** The message says what to do. */
export class NoSuchOperator extends Error {
  override readonly name = 'NoSuchOperator';
}

export interface NewPassword {
  readonly email: string;
  readonly password: string;
  /** Other ways to act as this operator, which were left unchanged. */
  readonly left: WaysIn;
}

/**
 * Gives an operator a new password and ends their sessions and links: for an operator who lost the password and has nobody to
 * ask for a reset.
 *
 * @param email null: the only operator
 * @throws NoSuchOperator
 */
export async function resetOperatorPassword(mongo: Mongo, email: string | null, now: Date): Promise<NewPassword> {
  const operators = await new UserRepository(mongo).listOperators(RESCUE);
  const wanted = operators.filter((user) => email === null || user.email_key === emailKey(email));
  const [operator, ...more] = wanted;
  if (!operator || more.length > 0) {
    const known = operators.map((user) => user.email).join(', ') || 'nobody';
    const which = email === null ? 'Say whose password is reset' : `${email} is no operator`;
    throw new NoSuchOperator(
      `${which}: npm run admin:reset-password -- <e-mail>. Operators of this installation: ${known}.`,
    );
  }
  const password = randomBytes(18).toString('base64url');
  const hash = await new PasswordHasher().hash(password, [operator.password_hash]);
  const left = await new PasswordRepository(mongo).give(RESCUE, operator, hash, now, {
    action_type: 'password_reset',
    collection: USERS,
    company_id: operator.company_roles[0]?.company_id ?? null,
    resource_type: 'user',
    resource_id: operator._id,
    reason: 'npm run admin:reset-password',
  });
  return { email: operator.email, password, left };
}
