import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient, createEgressDialer, type EgressClient, type EgressDialer } from '@weft/egress';
import { openOAuth } from '@weft/identity';
import { AFTER_REQUESTS, NEW_ID, type Drainable, type NewId } from '@weft/kernel';
import type { Connection, IntegrationSource } from '@weft/layers';
import { storedIntegrations } from '@weft/runs';
import { Mongo } from '@weft/store';
import { SourceFault } from './source.js';

/** The way out that sources use, and the links whose credentials they show. */
@Injectable()
export class SourceEgress implements Drainable {
  readonly drainOrder = AFTER_REQUESTS;
  readonly http: EgressClient;
  readonly sockets: EgressDialer;
  readonly integrations: IntegrationSource;

  constructor(@Inject(SETTINGS) settings: Settings, @Inject(NEW_ID) newId: NewId, mongo: Mongo) {
    this.http = createEgressClient(settings.egress);
    this.sockets = createEgressDialer(settings.egress);
    const { integrationTokens } = openOAuth({ mongo, settings, http: this.http, processTag: newId() });
    this.integrations = storedIntegrations(integrationTokens);
  }

  /** The link that a trigger names. @throws SourceFault */
  async linkOf(companyId: string, integrationId: string): Promise<Connection> {
    const found = await this.integrations.connection(companyId, integrationId);
    if ('missing' in found)
      throw new SourceFault('integration_not_found', 'The link of the source is not there any more.');
    if ('unusable' in found) {
      throw new SourceFault('integration_unusable', `The link of the source cannot be used: ${found.unusable}.`);
    }
    return found;
  }

  async drain(): Promise<void> {
    await this.http.close();
  }
}
