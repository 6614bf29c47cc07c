import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { FairSemaphore } from '@weft/concurrency';
import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient, createEgressDialer } from '@weft/egress';
import { OidcFailure, SecretUnreadable, TokenUnusable, usableOf, type OAuth } from '@weft/identity';
import { checkConnection, tryRequest, type EgressClients } from '@weft/layers';
import type { IntegrationDocument } from '@weft/records';
import { OAUTH } from '../oauth/oauth.token.js';
import type { IntegrationTestView } from './integration.view.js';

/** Tests of one company; further ones wait. Each holds a connection for seconds. */
const AT_ONCE = 3;

/** Looks whether a link works, as far as its provider lets somebody look. */
@Injectable()
export class IntegrationCheck implements OnModuleDestroy {
  private readonly ways: EgressClients;
  /** By company, while it has tests. */
  private readonly rooms = new Map<string, { readonly places: FairSemaphore; tests: number }>();

  constructor(
    @Inject(OAUTH) private readonly oauth: OAuth,
    @Inject(SETTINGS) { egress }: Settings,
  ) {
    this.ways = { http: createEgressClient(egress), sockets: createEgressDialer(egress) };
  }

  onModuleDestroy(): Promise<void> {
    return this.ways.http.close();
  }

  async check(link: IntegrationDocument): Promise<IntegrationTestView> {
    const leave = await this.enter(link.CompanyID);
    try {
      return await this.look(link);
    } catch (error) {
      if (error instanceof TokenUnusable) return { ok: false, detail: `It cannot be used: ${error.message}.` };
      if (error instanceof SecretUnreadable) return { ok: false, detail: 'Its stored token cannot be decrypted.' };
      if (error instanceof OidcFailure) return { ok: false, detail: 'Its provider could not be asked just now.' };
      throw error;
    } finally {
      leave();
    }
  }

  private async enter(companyId: string): Promise<() => void> {
    const room = this.rooms.get(companyId) ?? { places: new FairSemaphore(AT_ONCE), tests: 0 };
    this.rooms.set(companyId, room);
    room.tests += 1;
    const release = await room.places.acquire(companyId);
    return () => {
      release();
      room.tests -= 1;
      if (room.tests === 0) this.rooms.delete(companyId);
    };
  }

  private async look(link: IntegrationDocument): Promise<IntegrationTestView> {
    const token = await this.oauth.freshTokens.integrations.accessToken(link);
    const connection = usableOf(link, token);
    if (link.Test) return tryRequest(connection, link.Test, this.ways);
    const provider = link.ProviderID === null ? null : await this.oauth.providers.find(link.ProviderID);
    if (!provider) {
      const checked = await checkConnection(connection, this.ways);
      return checked ?? { ok: true, detail: 'Its token can be read and has not ended; no service was asked about it.' };
    }
    // Tokens are shown to the issuer that gave them, and to no other that took over its entry.
    if (provider.issuer !== link.Issuer) {
      return { ok: false, detail: 'Its identity provider is another one now; connect it again.' };
    }
    const isTaken = await this.oauth.oidc.takesToken(provider, token);
    if (isTaken === null) {
      return { ok: true, detail: `Its token has not ended; ${provider.name} cannot be asked about it.` };
    }
    return isTaken
      ? { ok: true, detail: `${provider.name} took its token and told the account.` }
      : { ok: false, detail: `${provider.name} does not take its token any more; connect it again.` };
  }
}
