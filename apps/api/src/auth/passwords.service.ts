import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import {
  assertHashable,
  hashOneTimeToken,
  networkOf,
  PasswordHasher,
  SharedLoginThrottle,
  type RequestOrigin,
} from '@weft/identity';
import { WeftError, type Clock, CLOCK } from '@weft/kernel';
import { emailKey, Mongo, recordAlone, SystemScope, type AuditEntryInput } from '@weft/store';
import { PasswordRepository, UserRepository, USERS, type UserDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { actorEntry } from '../audit/actor-entry.js';
import { ChosenPasswords } from './chosen-passwords.js';

const OWN_ACCOUNT = new SystemScope('a password is one in all companies of its user');

/** How people choose a password: with the one that they have, or by a link. */
@Injectable()
export class PasswordsService {
  constructor(
    private readonly mongo: Mongo,
    private readonly users: UserRepository,
    private readonly passwords: PasswordRepository,
    private readonly hasher: PasswordHasher,
    private readonly chosen: ChosenPasswords,
    private readonly throttle: SharedLoginThrottle,
    private readonly bus: InvalidationBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Ends the user's other sessions. A wrong current password counts as a failed sign-in, so that a person at an open session
   * cannot guess it either.
   *
   * @throws WeftError `invalid_credentials`, `too_many_attempts`, `weak_password`, `password_too_long`
   */
  async change(caller: Principal, current: string, chosen: string, origin: RequestOrigin): Promise<void> {
    assertHashable(current, 'current_password');
    assertHashable(chosen, 'new_password');
    const user = await this.verified(caller, current, origin);
    const hash = await this.chosen.hash(user, chosen, 'holder', 'new_password');
    const entry = entryOf(user, caller.companyId, origin, 'chosen by its user');
    if (!(await this.passwords.replace(OWN_ACCOUNT, user, hash, caller.credentialId, entry))) throw wrongPassword();
    this.bus.publish({ kind: 'user', id: user._id });
  }

  /** @throws WeftError `token_invalid`, `weak_password`, `password_too_long`, `too_many_attempts` */
  async accept(token: string, chosen: string, origin: RequestOrigin): Promise<void> {
    assertHashable(chosen);
    const now = new Date(this.clock.now());
    const link = await this.passwords.findLink(OWN_ACCOUNT, hashOneTimeToken(token), now);
    const user = link && (await this.users.find(OWN_ACCOUNT, link.user_id));
    if (!link || !user) throw usedUp();
    const hash = await this.chosen.hash(user, chosen, 'holder');
    const entry = entryOf(user, link.company_id, origin, link.kind === 'invitation' ? 'invitation' : 'password reset');
    if (!(await this.passwords.useLink(OWN_ACCOUNT, link, hash, new Date(this.clock.now()), entry))) throw usedUp();
    this.bus.publish({ kind: 'user', id: user._id });
  }

  private async recordFailure(caller: Principal, origin: RequestOrigin): Promise<void> {
    const entry = actorEntry({ caller, origin }, 'login_failed', {
      collection: USERS,
      resource_type: 'user',
      resource_id: caller.userId,
    });
    const reason = 'invalid_password';
    await recordAlone(this.mongo, { ...entry, outcome: 'failure', reason });
  }

  private async verified(caller: Principal, password: string, origin: RequestOrigin): Promise<UserDocument> {
    const attempt = await this.throttle.begin(emailKey(caller.email), networkOf(origin.address));
    let failed = false;
    try {
      const user = await this.users.find(OWN_ACCOUNT, caller.userId);
      failed = !(await this.hasher.verify(password, user?.password_hash ?? null));
      if (failed || !user) {
        await this.recordFailure(caller, origin);
        throw wrongPassword();
      }
      return user;
    } finally {
      attempt.end(failed);
    }
  }
}

function entryOf(user: UserDocument, companyId: string, origin: RequestOrigin, reason: string): AuditEntryInput {
  return {
    action_type: 'password_changed',
    collection: USERS,
    company_id: companyId,
    UserID: user._id,
    UserEmail: user.email,
    UserIPAddress: origin.address,
    resource_type: 'user',
    resource_id: user._id,
    request_id: origin.requestId,
    reason,
  };
}

function wrongPassword(): WeftError {
  return new WeftError('invalid_credentials', 'The current password is wrong.');
}

function usedUp(): WeftError {
  return new WeftError('token_invalid', 'The link was used or has expired. Ask for a new one.');
}
