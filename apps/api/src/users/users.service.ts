import { Inject, Injectable } from '@nestjs/common';
import type { Principal, Role } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import { newOneTimeLink } from '@weft/identity';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import {
  AuditRepository,
  emailKey,
  isEmailAddress,
  SystemScope,
  TenantScope,
  type AuditDocument,
  type PageOf,
  type PageRequest,
} from '@weft/store';
import {
  MembershipRepository,
  PasswordRepository,
  UserRepository,
  type UserDocument,
  type WaysIn,
} from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import type { Actor } from '../audit/actor-entry.js';
import { ChosenPasswords } from '../auth/chosen-passwords.js';
import { administeredBy, assertOwnsAccount } from './account-rights.js';
import { changeEntries, enrolEntries, resetEntries, userEntry } from './user-audit.js';
import type { CreateUserBody, ListUsersQuery, ResetPasswordBody, UpdateUserBody } from './user.requests.js';

const OWN_ACCOUNT = new SystemScope("the caller's places in all companies");

/** A user, and the companies that the caller administers: memberships of other companies are not shown. */
export interface Seen {
  readonly user: UserDocument;
  readonly administered: ReadonlySet<string>;
}

/** The people of the caller's company. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UserRepository,
    private readonly memberships: MembershipRepository,
    private readonly passwords: PasswordRepository,
    private readonly audit: AuditRepository,
    private readonly chosen: ChosenPasswords,
    private readonly bus: InvalidationBus,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `invalid_body`, `not_found` (another company), `email_taken`, `weak_password`, `password_too_long` */
  async create(actor: Actor, body: CreateUserBody): Promise<Seen & { readonly inviteUrl: string | null }> {
    const { caller } = actor;
    const { email, password, roles = [{ company_id: caller.companyId, role: 'none' }] } = body;
    assertAddress(email);
    const administered = await this.administered(caller);
    assertAdministered(administered, roles);
    const nowMs = this.clock.now();
    const company_roles = roles.map(({ company_id, role }) => ({ company_id, role, group_ids: [] }));
    const newcomer: UserDocument = {
      _id: this.newId(),
      email,
      email_key: emailKey(email),
      name: body.name ?? null,
      password_hash:
        password === undefined ? null : await this.chosen.hash({ email, company_roles }, password, 'admin'),
      ...(password !== undefined && { password_given: true }),
      operator: false,
      company_roles,
      created_at: new Date(nowMs),
      last_activity: null,
    };
    const invitation = password === undefined ? this.linkTo(newcomer, caller, 'invitation', nowMs) : null;
    const entries = enrolEntries(actor, newcomer, roles);
    await this.memberships.enrol(newcomer, { link: invitation?.link ?? null, entries });
    const inviteUrl = invitation && this.urlOf('invite', invitation.token);
    return { user: newcomer, administered, inviteUrl };
  }

  async list(
    caller: Principal,
    { q, role, state }: ListUsersQuery,
    page: PageRequest,
  ): Promise<{ readonly found: PageOf<UserDocument>; readonly administered: ReadonlySet<string> }> {
    const [found, administered] = await Promise.all([
      this.users.list(scopeOf(caller), { q, role, state }, page),
      this.administered(caller),
    ]);
    return { found, administered };
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, id: string): Promise<Seen> {
    const found = this.users.findMember(scopeOf(caller), id);
    const [user, administered] = await Promise.all([found, this.administered(caller)]);
    if (!user) throw unknownUser();
    return { user, administered };
  }

  /** @throws WeftError `not_found`, `denied`, `last_admin`, `unknown_id` */
  async change(actor: Actor, id: string, body: UpdateUserBody): Promise<Seen> {
    const { caller } = actor;
    const { user, administered } = await this.read(caller, id);
    assertAdministered(administered, body.roles ?? []);
    const isRenamed = body.name !== undefined && body.name !== user.name;
    if (isRenamed && id !== caller.userId) assertOwnsAccount(caller, administered, user);
    const changed = await this.memberships.change(scopeOf(caller), id, body, (change) => changeEntries(actor, change));
    if (!changed) throw unknownUser();
    this.bus.publish({ kind: 'user', id });
    return { user: changed.after, administered };
  }

  /** Removes the user from the company. @throws WeftError `not_found`, `last_admin` */
  async remove(actor: Actor, id: string): Promise<void> {
    const { caller } = actor;
    const at = new Date(this.clock.now());
    const entry = userEntry(actor, 'user_removed', { _id: id }, caller.companyId);
    if (!(await this.memberships.remove(scopeOf(caller), id, at, entry))) throw unknownUser();
    this.bus.publish({ kind: 'user', id });
    this.bus.publish({ kind: 'grants', id });
  }

  /** @throws WeftError `not_found`, `denied` */
  async resetPassword(
    actor: Actor,
    id: string,
    { end_identities = false, revoke_api_keys = false }: ResetPasswordBody,
  ): Promise<{ readonly resetUrl: string; readonly expiresAt: Date; readonly left: WaysIn }> {
    const { caller } = actor;
    const { user, administered } = await this.read(caller, id);
    if (id === caller.userId) throw new WeftError('denied', 'Change your own password with your current one.');
    assertOwnsAccount(caller, administered, user);
    const { token, link } = this.linkTo(user, caller, 'password_reset', this.clock.now());
    const ends = { identities: end_identities, keys: revoke_api_keys };
    const left = await this.passwords.reset(scopeOf(caller), link, ends, (ended) => resetEntries(actor, user, ended));
    if (!left) throw unknownUser();
    this.bus.publish({ kind: 'user', id });
    return { resetUrl: this.urlOf('reset-password', token), expiresAt: link.expires_at, left };
  }

  /** What the user did in the company. @throws WeftError `not_found` */
  async activity(caller: Principal, id: string, page: PageRequest): Promise<PageOf<AuditDocument>> {
    await this.read(caller, id);
    return this.audit.listOfActor(scopeOf(caller), id, page);
  }

  private linkTo(
    { _id, company_roles }: UserDocument,
    { companyId, userId }: Principal,
    kind: 'invitation' | 'password_reset',
    nowMs: number,
  ) {
    const company_ids = company_roles.map(({ company_id }) => company_id);
    const of = { user_id: _id, company_id: companyId, company_ids, kind, created_by: userId };
    return newOneTimeLink({ _id: this.newId(), ...of }, nowMs);
  }

  private urlOf(page: string, token: string): string {
    return `${this.settings.server.apiUrl}/${page}?token=${token}`;
  }

  private async administered(caller: Principal): Promise<ReadonlySet<string>> {
    return administeredBy(caller, await this.users.find(OWN_ACCOUNT, caller.userId));
  }
}

function assertAddress(email: string): void {
  if (isEmailAddress(email)) return;
  const message = 'email must be an address, without characters that cannot be seen';
  throw new WeftError('invalid_body', `${message}.`, { errors: [{ path: 'email', code: 'invalid', message }] });
}

function assertAdministered(
  administered: ReadonlySet<string>,
  roles: readonly { readonly company_id: string; readonly role: Role }[],
): void {
  const ids = roles.map(({ company_id }) => company_id);
  if (!ids.every((id) => administered.has(id))) throw new WeftError('not_found', 'You administer no such company.');
  if (new Set(ids).size < ids.length) {
    const message = 'a user has one role in a company';
    throw new WeftError('invalid_body', `${message}.`, { errors: [{ path: 'roles', code: 'repeated', message }] });
  }
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

function unknownUser(): WeftError {
  return new WeftError('not_found', 'Your company has no such user.');
}
