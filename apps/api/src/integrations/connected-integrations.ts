import { Inject, Injectable } from '@nestjs/common';
import { GrantCache, SecretBox, sealTokens } from '@weft/identity';
import type { Principal } from '@weft/access';
import { NEW_ID, type NewId } from '@weft/kernel';
import { Mongo, TenantScope } from '@weft/store';
import {
  ApiRepository,
  CompanyRepository,
  INTEGRATIONS,
  IntegrationRepository,
  openMembershipIn,
  UserRepository,
  type IntegrationDocument,
} from '@weft/records';
import type { AuthorizedAccount } from '../oauth/external-users.js';
import type { RequestOrigin } from '../http/request-origin.js';
import type { LinkConsent } from '../oauth/link-authorization.js';
import { OAuthRefusal } from '../oauth/oauth-refusal.js';
import { integrationEntry, type IntegrationActor } from './integration-audit.js';
import { mayEditLink } from './integration-rights.js';

/** Integration links made by an authorization flow: stored when the provider's callback arrives. */
@Injectable()
export class ConnectedIntegrations {
  constructor(
    private readonly mongo: Mongo,
    private readonly integrations: IntegrationRepository,
    private readonly users: UserRepository,
    private readonly companies: CompanyRepository,
    private readonly apis: ApiRepository,
    private readonly secrets: SecretBox,
    private readonly grants: GrantCache,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /**
   * Stores a new link for the user who began the flow, or new tokens in the link that they already have for this account, so
   * that everything that uses it continues to work.
   *
   * @throws OAuthRefusal `denied` when the user may not make links any more
   */
  async store(authorized: AuthorizedAccount, userId: string, companyId: string): Promise<void> {
    const actor = await this.actor(authorized, userId, companyId);
    const scope = new TenantScope(companyId);
    const account = { UserID: userId, ProviderID: authorized.provider.id, ProviderUserID: authorized.account.subject };
    if (!(await this.integrations.findByAccount(scope, account))) {
      const link = this.linkOf(authorized, actor, null);
      const entry = integrationEntry(actor, 'integration_created', null, link);
      if (await this.integrations.insert(scope, link, entry)) return;
    }
    // It existed already, or was just created from another tab.
    const before = await this.integrations.findByAccount(scope, account);
    if (!before) return;
    const after = this.linkOf(authorized, actor, before);
    const { _id, CompanyID: _company, ...fields } = after;
    await this.integrations.update(scope, _id, fields, integrationEntry(actor, 'integration_updated', before, after));
  }

  /**
   * Stores the tokens that the server of a link gave after somebody's consent, if the link still is what they consented to. The tools of
   * MCP servers that waited for it are read.
   *
   * @throws OAuthRefusal `denied` when the user may not change the link any more; `unknown_provider`
   */
  async renew({ link, tokens }: LinkConsent, origin: RequestOrigin, userId: string, companyId: string): Promise<void> {
    const actor = await this.actor({ origin }, userId, companyId);
    const { role, groupIds } = actor;
    const held = await this.grants.of({ userId, companyId, groupIds });
    const granted = held.flatMap((grants) => grants.on('integration', link._id));
    if (!mayEditLink({ userId, role }, link, granted)) {
      throw new OAuthRefusal('denied', 'who set out may not change this integration any more', { userId, companyId });
    }
    const now = this.mongo.serverNow();
    const place = { companyId, collection: INTEGRATIONS, recordId: link._id };
    const fields = {
      ...sealTokens(this.secrets, place, tokens, now),
      ...{ RefreshBy: null, RefreshLease: null, UpdatedAt: new Date(now) },
    };
    const entry = integrationEntry(actor, 'integration_updated', link, { ...link, ...fields });
    const scope = new TenantScope(companyId);
    if (!(await this.integrations.update(scope, link._id, fields, entry, link))) {
      throw new OAuthRefusal('unknown_provider', 'the link is another one now', { userId, companyId });
    }
    await this.apis.askAgain(scope, link._id);
  }

  private linkOf(
    { provider, account, tokens }: AuthorizedAccount,
    { userId, companyId }: IntegrationActor,
    before: IntegrationDocument | null,
  ): IntegrationDocument {
    const id = before?._id ?? this.newId();
    const now = this.mongo.serverNow();
    return {
      _id: id,
      CompanyID: companyId,
      UserID: userId,
      IntegrationType: before?.IntegrationType ?? provider.id,
      Name: before?.Name ?? provider.name,
      Endpoint: before?.Endpoint ?? null,
      ...sealTokens(this.secrets, { companyId, collection: INTEGRATIONS, recordId: id }, tokens, now),
      Scopes: tokens.scopes,
      ProviderID: provider.id,
      Issuer: provider.issuer,
      RefreshBy: null,
      RefreshLease: null,
      ProviderUserID: account.subject,
      ProviderUserEmail: account.email,
      CreatedAt: before?.CreatedAt ?? new Date(now),
      UpdatedAt: new Date(now),
    };
  }

  private async actor(
    { origin }: Pick<AuthorizedAccount, 'origin'>,
    userId: string,
    companyId: string,
  ): Promise<IntegrationActor & Pick<Principal, 'role' | 'groupIds'>> {
    const scope = new TenantScope(companyId);
    const [user, company] = await Promise.all([this.users.findMember(scope, userId), this.companies.find(scope)]);
    const place = user && openMembershipIn(user, companyId);
    const mayConnect = company?.active && (place?.role === 'admin' || place?.role === 'integration_manager');
    if (!user || !place || !mayConnect) {
      throw new OAuthRefusal('denied', 'who set out may not make integrations any more', { userId, companyId });
    }
    return { userId, email: user.email, companyId, origin, role: place.role, groupIds: place.group_ids };
  }
}
