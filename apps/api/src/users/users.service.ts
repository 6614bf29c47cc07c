import { Inject, Injectable } from '@nestjs/common';
import type { Principal, Role } from '@weft/access';
import type { Settings } from '@weft/config';
import { CLOCK, NEW_ID, SETTINGS } from '@weft/host';
import { assertStrong, newOneTimeLink, PasswordHasher } from '@weft/identity';
import { WeftError, type Clock, type NewId } from '@weft/kernel';
import {
  AuditRepository,
  emailKey,
  MembershipRepository,
  Mongo,
  PasswordRepository,
  SystemScope,
  TenantScope,
  UserRepository,
  type AuditDocument,
  type PageOf,
  type PageRequest,
  type UserDocument,
} from '@weft/persistence';
import { InvalidationBus } from '@weft/realtime-bus';
import type { Actor } from '../audit/actor-entry.js';
import { administeredBy, assertOwnsAccount } from './account-rights.js';
import { changeEntries, enrolEntries, userEntry } from './user-audit.js';
import type { CreateUserBody, ListUsersQuery, UpdateUserBody } from './user.requests.js';

const OWN_ACCOUNT = new SystemScope("the caller's places in all companies");

/** A user, and the companies that the caller administers: nobody else hears of places there. */
export interface Seen {
  readonly user: UserDocument;
  readonly administered: ReadonlySet<string>;
}

/** The people of the caller's company. */
@Injectable()
export class UsersService {
  private readonly users: UserRepository;
  private readonly memberships: MembershipRepository;
  private readonly passwords: PasswordRepository;
  private readonly audit: AuditRepository;

  constructor(
    mongo: Mongo,
    private readonly hasher: PasswordHasher,
    private readonly bus: InvalidationBus,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {
    this.users = new UserRepository(mongo);
    this.memberships = new MembershipRepository(mongo);
    this.passwords = new PasswordRepository(mongo);
    this.audit = new AuditRepository(mongo);
  }

  /** @throws WeftError `not_found` (another company), `email_taken`, `weak_password`, `password_too_long` */
  async create(actor: Actor, body: CreateUserBody): Promise<Seen & { readonly inviteUrl: string | null }> {
    const { caller } = actor;
    const administered = await this.administered(caller);
    assertAdministered(administered, body.roles);
    if (body.password !== undefined) assertStrong(body.password, [body.email]);
    const nowMs = this.clock.now();
    const newcomer: UserDocument = {
      _id: this.newId(),
      email: body.email,
      email_key: emailKey(body.email),
      name: body.name ?? null,
      password_hash: body.password === undefined ? null : await this.hasher.hash(body.password),
      operator: false,
      company_roles: body.roles.map(({ company_id, role }) => ({ company_id, role, group_ids: [] })),
      created_at: new Date(nowMs),
      last_activity: null,
    };
    const invitation = body.password === undefined ? this.linkTo(newcomer._id, caller, 'invitation', nowMs) : null;
    const { outcome, user } = await this.memberships.enrol(newcomer, {
      ifKnown: 'join',
      link: invitation?.link ?? null,
      entriesOf: (enrolled) => enrolEntries(actor, enrolled, body.roles),
    });
    const inviteUrl = invitation && outcome === 'created' ? this.urlOf('invite', invitation.token) : null;
    return { user, administered, inviteUrl };
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

  /** @throws WeftError `not_found`, `denied`, `last_admin` */
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

  /** Takes the user's place in the company away. @throws WeftError `not_found`, `last_admin` */
  async remove(actor: Actor, id: string): Promise<void> {
    const { caller } = actor;
    const at = new Date(this.clock.now());
    const entry = userEntry(actor, 'user_removed', { _id: id }, caller.companyId);
    if (!(await this.memberships.remove(scopeOf(caller), id, at, entry))) throw unknownUser();
    this.bus.publish({ kind: 'user', id });
    this.bus.publish({ kind: 'grants', id });
  }

  /** @throws WeftError `not_found`, `denied` */
  async resetPassword(actor: Actor, id: string): Promise<{ readonly resetUrl: string; readonly expiresAt: Date }> {
    const { caller } = actor;
    const { user, administered } = await this.read(caller, id);
    if (id === caller.userId) throw new WeftError('denied', 'Change your own password with your current one.');
    assertOwnsAccount(caller, administered, user);
    const { token, link } = this.linkTo(id, caller, 'password_reset', this.clock.now());
    const entry = userEntry(actor, 'password_reset', user, caller.companyId);
    if (!(await this.passwords.reset(scopeOf(caller), link, entry))) throw unknownUser();
    this.bus.publish({ kind: 'user', id });
    return { resetUrl: this.urlOf('reset-password', token), expiresAt: link.expires_at };
  }

  /** What the user did in the company. @throws WeftError `not_found` */
  async activity(caller: Principal, id: string, page: PageRequest): Promise<PageOf<AuditDocument>> {
    await this.read(caller, id);
    return this.audit.listOfActor(scopeOf(caller), id, page);
  }

  private linkTo(userId: string, caller: Principal, kind: 'invitation' | 'password_reset', nowMs: number) {
    const of = { _id: this.newId(), user_id: userId, company_id: caller.companyId, kind, created_by: caller.userId };
    return newOneTimeLink(of, nowMs);
  }

  private urlOf(page: string, token: string): string {
    return `${this.settings.server.apiUrl}/${page}?token=${token}`;
  }

  private async administered(caller: Principal): Promise<ReadonlySet<string>> {
    return administeredBy(caller, await this.users.find(OWN_ACCOUNT, caller.userId));
  }
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
