import { Injectable } from '@nestjs/common';
import { Pass, sideBySide } from '@weft/process';
import { EventDelivery } from '@weft/runs';
import { AuditKeeper } from './audit/audit-keeper.js';
import { ChangesKeeper } from './changes-keeper.js';
import { MigrationKeeper } from './migrations/migration-keeper.js';
import { StoreGauges } from './stats/store-gauges.js';
import { StoredBytes } from './stats/stored-bytes.js';
import { TokenRefresher } from './token-refresher.js';
import { WebhookDeliverer } from './webhooks/webhook-deliverer.js';

const EVERY_MS = 20_000;
/** A part that has more to do goes on in the next pass, so that the other parts need not wait for it. */
const WITHIN_MS = 20_000;

/** What is done now and then, and may be late. */
@Injectable()
export class Upkeep {
  constructor(
    private readonly audit: AuditKeeper,
    private readonly changes: ChangesKeeper,
    private readonly migrations: MigrationKeeper,
    private readonly tokens: TokenRefresher,
    private readonly webhooks: WebhookDeliverer,
    private readonly events: EventDelivery,
    private readonly storedBytes: StoredBytes,
    private readonly stores: StoreGauges,
  ) {}

  @Pass({ name: 'upkeep', everyMs: EVERY_MS })
  pass(stopping: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(WITHIN_MS)]);
    return sideBySide({
      tokens: () => this.tokens.pass(),
      migrations: () => this.migrations.pass(signal),
      'change logs': () => this.changes.pass(signal),
      'personal values in the audit log': () => this.audit.redact(),
      'kept events': () => this.events.repair(signal),
      'expired deliveries': () => this.webhooks.removeExpired(signal),
      'oldest deliveries': () => this.webhooks.findOldest(),
      'how full the stores are': () => this.stores.measure(),
      'stored bytes': () => this.storedBytes.measure(signal),
    });
  }
}
