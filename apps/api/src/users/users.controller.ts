import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, specialist, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { CLOCK, type Clock } from '@weft/kernel';
import type { FastifyReply } from 'fastify';
import { auditEntryPageSchema, toAuditEntryView, type AuditEntryView } from '../audit/audit-entry.view.js';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { toApiKeyView } from '../auth/api-key.view.js';
import { toIdentityView } from '../oauth/identity.view.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { PageQuery, toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { CreateUserBody, ListUsersQuery, ResetPasswordBody, UpdateUserBody } from './user.requests.js';
import {
  newUserSchema,
  resetLinkSchema,
  toUserView,
  userPageSchema,
  userSchema,
  type NewUserView,
  type ResetLinkView,
  type UserView,
} from './user.view.js';
import { UsersService } from './users.service.js';

@ApiTags('Users')
@Controller(apiPaths('users'))
export class UsersController {
  constructor(
    private readonly users: UsersService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @Requires(atLeast('admin'), scopes('admin'))
  @Refuses('not_found', 'email_taken', 'weak_password', 'password_too_long', 'too_many_attempts')
  @ApiOperation({ summary: 'Make a user of the company' })
  @AnswersCreated(newUserSchema, 'The user, with the invitation link where no password was given.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateUserBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewUserView> {
    const { user, administered, inviteUrl } = await this.users.create({ caller, origin }, body);
    reply.header('location', apiPath(`users/${user._id}`));
    const { company_roles } = user;
    const companyId = company_roles.some(({ company_id }) => company_id === caller.companyId)
      ? caller.companyId
      : (company_roles[0]?.company_id ?? caller.companyId);
    return { ...toUserView(user, companyId, administered), ...(inviteUrl !== null && { invite_url: inviteUrl }) };
  }

  @Get()
  @Requires([atLeast('admin'), specialist('audit_viewer')], scopes('admin'))
  @ApiOperation({ summary: 'List the users of the company, newest first' })
  @Answers(200, userPageSchema, 'A page of users.')
  async list(@Caller() caller: Principal, @Query() query: ListUsersQuery): Promise<Page<UserView>> {
    const page = toPageRequest(query);
    const { found, administered } = await this.users.list(caller, query, page);
    return toPage(page, found, (user) => toUserView(user, caller.companyId, administered));
  }

  @Get(':id')
  @Requires([atLeast('admin'), specialist('audit_viewer')], scopes('admin'))
  @ApiOperation({ summary: 'Read a user of the company' })
  @Answers(200, userSchema, 'The user.')
  async read(@Caller() caller: Principal, @Param('id') id: string): Promise<UserView> {
    const { user, administered } = await this.users.read(caller, id);
    return toUserView(user, caller.companyId, administered);
  }

  @Patch(':id')
  @Requires(atLeast('admin'), scopes('admin'))
  @Refuses('last_admin', 'unknown_id')
  @ApiOperation({ summary: 'Change name, roles, or whether the user may come in; fields left out stay as they are' })
  @Answers(200, userSchema, 'The user as it is now.')
  async change(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateUserBody,
  ): Promise<UserView> {
    const { user, administered } = await this.users.change({ caller, origin }, id, body);
    return toUserView(user, caller.companyId, administered);
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(atLeast('admin'), scopes('admin'))
  @Refuses('last_admin')
  @ApiOperation({ summary: 'Take the user out of the company; the account goes with its last company' })
  @AnswersNothing('The user has no place in the company any more.')
  async remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    await this.users.remove({ caller, origin }, id);
  }

  @Post(':id/password-reset')
  @Requires(atLeast('admin'), scopes('admin'))
  @ApiOperation({ summary: 'End the password and all sessions of a user, and make a link to choose a new one' })
  @AnswersCreated(resetLinkSchema, 'The link, good once and for 72 hours, and what opens the account besides.')
  async resetPassword(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: ResetPasswordBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResetLinkView> {
    const { resetUrl, expiresAt, left } = await this.users.resetPassword({ caller, origin }, id, body);
    reply.header('location', resetUrl);
    return {
      reset_url: resetUrl,
      expires_at: expiresAt.toISOString(),
      identities: left.identities.map(toIdentityView),
      api_keys: left.keys.map(toApiKeyView),
    };
  }

  @Get(':id/activity')
  @Requires(specialist('audit_viewer'), scopes('api', 'api:read'))
  @ApiOperation({ summary: 'List what a user did in the company, newest first' })
  @Answers(200, auditEntryPageSchema, 'A page of audit entries.')
  async activity(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<AuditEntryView>> {
    const page = toPageRequest(query);
    const entries = await this.users.activity(caller, id, page);
    return toPage(page, entries, (entry) => toAuditEntryView(entry, this.clock.now()));
  }
}
