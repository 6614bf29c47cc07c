import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { SESSION_ONLY, SIGNED_IN, type Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { SystemScope } from '@weft/store';
import { EXTERNAL_IDENTITIES, ExternalIdentityRepository, type ExternalIdentityDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import type { Page } from '@weft/contracts';
import { actorEntry } from '../audit/actor-entry.js';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { PageQuery, toPage, toPageRequest } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersNothing } from '../http/schema.js';
import { identityPageSchema, identitySchema, toIdentityView, type IdentityView } from './identity.view.js';

const OWN_ACCOUNT = new SystemScope('accounts at providers belong to an account, in whichever companies it has places');

/** The caller's own accounts at identity providers. */
@ApiTags('Signing in')
@Controller(apiPaths('auth/identities'))
export class IdentitiesController {
  constructor(
    private readonly identities: ExternalIdentityRepository,
    private readonly bus: InvalidationBus,
  ) {}

  @Get()
  @Requires(SIGNED_IN, SESSION_ONLY)
  @ApiOperation({ summary: 'List the accounts at identity providers that open yours, newest first' })
  @Answers(200, identityPageSchema, 'A page of accounts.')
  async list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<IdentityView>> {
    const page = toPageRequest(query);
    return toPage(page, await this.identities.listOf(OWN_ACCOUNT, caller.userId, page), toIdentityView);
  }

  @Get(':id')
  @Requires(SIGNED_IN, SESSION_ONLY)
  @ApiOperation({ summary: 'Read one of them' })
  @Answers(200, identitySchema, 'The account.')
  async read(@Caller() caller: Principal, @Param('id') id: string): Promise<IdentityView> {
    return toIdentityView(await this.own(caller, id));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(SIGNED_IN, SESSION_ONLY)
  @Refuses('denied')
  @ApiOperation({ summary: 'Untie one of them from your account; your other sessions end' })
  @AnswersNothing('It opens your account no more.')
  async untie(@Caller() caller: Principal, @Param('id') id: string, @Origin() origin: RequestOrigin): Promise<void> {
    const identity = await this.own(caller, id);
    const subject = { collection: EXTERNAL_IDENTITIES, resource_type: 'user', resource_id: caller.userId };
    const changes = { issuer: { before: identity.issuer, after: null } };
    const entry = actorEntry({ caller, origin }, 'external_identity_unlinked', subject, changes);
    const outcome = await this.identities.remove(OWN_ACCOUNT, identity, caller.credentialId, entry);
    if (outcome === 'unknown') throw unknownIdentity();
    if (outcome === 'last') {
      throw new WeftError(
        'denied',
        'You have no password, and could not sign in again: ask an admin for a reset link.',
      );
    }
    this.bus.publish({ kind: 'user', id: caller.userId });
  }

  private async own(caller: Principal, id: string): Promise<ExternalIdentityDocument> {
    const identity = await this.identities.findOf(OWN_ACCOUNT, caller.userId, id);
    if (!identity) throw unknownIdentity();
    return identity;
  }
}

function unknownIdentity(): WeftError {
  return new WeftError('not_found', 'No such account is tied to yours.');
}
