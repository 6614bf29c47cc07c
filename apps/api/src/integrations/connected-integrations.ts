import { Inject, Injectable } from '@nestjs/common';
import { NEW_ID } from '@weft/host';
import { SecretBox, sealTokens } from '@weft/identity';
import type { NewId } from '@weft/kernel';
import {
  CompanyRepository,
  INTEGRATIONS,
  IntegrationRepository,
  Mongo,
  openPlaceIn,
  TenantScope,
  UserRepository,
  type IntegrationDocument,
} from '@weft/persistence';
import type { Visitor } from '../oauth/external-users.js';
import { OAuthRefusal } from '../oauth/oauth-refusal.js';
import { integrationEntry, type IntegrationActor } from './integration-audit.js';

/** Links that come from a provider: stored when the browser comes back from there. */
@Injectable()
export class ConnectedIntegrations {
  private readonly integrations: IntegrationRepository;
  private readonly users: UserRepository;
  private readonly companies: CompanyRepository;

  constructor(
    private readonly mongo: Mongo,
    private readonly secrets: SecretBox,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {
    this.integrations = new IntegrationRepository(mongo);
    this.users = new UserRepository(mongo);
    this.companies = new CompanyRepository(mongo);
  }

  /**
   * A new link of who set out, or their old one of this account with new tokens: what uses it goes on to.
   *
   * @throws OAuthRefusal `denied` when they may not make links any more
   */
  async keep(visitor: Visitor, userId: string, companyId: string): Promise<void> {
    const actor = await this.actor(visitor, userId, companyId);
    const scope = new TenantScope(companyId);
    const account = { UserID: userId, ProviderID: visitor.provider.id, ProviderUserID: visitor.account.subject };
    if (!(await this.integrations.findByAccount(scope, account))) {
      const link = this.linkOf(visitor, actor, null);
      const entry = integrationEntry(actor, 'integration_created', null, link);
      if (await this.integrations.insert(scope, link, entry)) return;
    }
    // It was there, or came in another tab just now.
    const before = await this.integrations.findByAccount(scope, account);
    if (!before) return;
    const after = this.linkOf(visitor, actor, before);
    const { _id, CompanyID: _company, ...fields } = after;
    await this.integrations.update(scope, _id, fields, integrationEntry(actor, 'integration_updated', before, after));
  }

  private linkOf(
    { provider, account, tokens }: Visitor,
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

  private async actor({ origin }: Visitor, userId: string, companyId: string): Promise<IntegrationActor> {
    const scope = new TenantScope(companyId);
    const [user, company] = await Promise.all([this.users.findMember(scope, userId), this.companies.find(scope)]);
    const role = user && openPlaceIn(user, companyId)?.role;
    const mayConnect = company?.active && (role === 'admin' || role === 'integration_manager');
    if (!user || !mayConnect) {
      throw new OAuthRefusal('denied', 'who set out may not make integrations any more', { userId, companyId });
    }
    return { userId, email: user.email, companyId, origin };
  }
}
