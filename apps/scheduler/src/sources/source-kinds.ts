import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient, createEgressDialer, type EgressClient } from '@weft/egress';
import { openOAuth } from '@weft/identity';
import { AFTER_REQUESTS, NEW_ID, type Drainable, type NewId } from '@weft/kernel';
import type { SourceType } from '@weft/shapes';
import { Mongo } from '@weft/store';
import { KafkaKind } from './kafka/kafka-kind.js';
import type { SourceKind } from './source.js';

/** What reads for each type of trigger, with the links and the guarded sockets that it needs. */
@Injectable()
export class SourceKinds implements Drainable {
  readonly drainOrder = AFTER_REQUESTS;
  private readonly http: EgressClient;
  private readonly kinds: Readonly<Record<SourceType, SourceKind>>;

  constructor(@Inject(SETTINGS) settings: Settings, @Inject(NEW_ID) newId: NewId, mongo: Mongo) {
    this.http = createEgressClient(settings.egress);
    const { integrationTokens } = openOAuth({ mongo, settings, http: this.http, processTag: newId() });
    this.kinds = { kafka: new KafkaKind(integrationTokens, createEgressDialer(settings.egress)) };
  }

  of(type: SourceType): SourceKind {
    return this.kinds[type];
  }

  async drain(): Promise<void> {
    await this.http.close();
  }
}
