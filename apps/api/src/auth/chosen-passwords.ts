import { Inject, Injectable } from '@nestjs/common';
import { assertStrong, PasswordHasher, AddressThrottle } from '@weft/identity';
import { WeftError, type Clock, CLOCK } from '@weft/kernel';
import { emailKey, SystemScope } from '@weft/store';
import { UserRepository, type UserDocument } from '@weft/records';

const SAME_ADDRESS = new SystemScope('accounts of one address share the salt of their hashes');

/**
 * For a minute and account. A sign-in shows every account that its password opens; without this limit, somebody who may set
 * the password of one account could guess the password of another account with the same address, faster than failed sign-ins
 * allow.
 */
const MAX_CHOICES = 10;

/** Whose password it is. */
type Owner = Pick<UserDocument, 'email' | 'company_roles'>;

/** Hashes passwords for accounts that they were chosen for. */
@Injectable()
export class ChosenPasswords {
  private readonly choices: AddressThrottle;

  constructor(
    private readonly users: UserRepository,
    private readonly hasher: PasswordHasher,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.choices = new AddressThrottle(clock, MAX_CHOICES, 'Too many passwords were chosen for this address');
  }

  /**
   * @param owner made and removed again, the account of a company stays the same one for the throttle
   * @param by the holder of the account chooses a secret; what an admin sets is not a secret
   * @param field of the body, for the refusal
   * @throws WeftError `weak_password`, `password_too_long`, `too_many_attempts`
   */
  async hash(
    { email, company_roles }: Owner,
    password: string,
    by: 'holder' | 'admin',
    field = 'password',
  ): Promise<string> {
    assertStrong(password, [email], field);
    const account = `${company_roles[0]?.company_id} ${emailKey(email)}`;
    this.choices.assertOpen(account);
    this.choices.count(account);
    const accounts = await this.users.findByEmail(SAME_ADDRESS, email);
    const hash = await this.hasher.hash(
      password,
      accounts.map(({ password_hash }) => password_hash),
    );
    const isGiven = accounts.some((each) => each.password_given && each.password_hash === hash);
    if (by === 'holder' && isGiven) {
      const message = 'was given to you by somebody who knows it';
      throw new WeftError('weak_password', `This password ${message}: choose one of your own.`, {
        errors: [{ path: field, code: 'weak_password', message }],
      });
    }
    return hash;
  }
}
