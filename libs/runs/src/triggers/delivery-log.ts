import { Inject, Injectable } from '@nestjs/common';
import { LOG, Metrics, warnRarely } from '@weft/observability';
import { Mongo, TenantScope } from '@weft/store';
import {
  TriggerDeliveriesRepository,
  type DeliveryLimits,
  type DeliveryOutcome,
  type TriggerBodyDocument,
  type TriggerDeliveryDocument,
  type TriggerDocument,
} from '@weft/records';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Texts } from './trigger-expressions.js';

const DAY_MS = 86_400_000;
const KEPT_MS = { delivery: 30 * DAY_MS, body: 3 * DAY_MS };
const LIMITS: DeliveryLimits = { deliveries: 10_000, bodies: 1_000, bodyBytes: 64 * 1024 * 1024 };
/** A larger body is not kept: it is a file of its play. */
const MOST_KEPT_BYTES = 1024 * 1024;
/** After this much of a trigger its log is trimmed: it exceeds the limits by no more than that for each replica. */
const TRIM_AFTER = { deliveries: 500, bytes: 16 * 1024 * 1024 };
const MAX_COUNTED = 10_000;

/** A delivery that was verified. */
export interface SentDelivery {
  readonly body: Buffer;
  readonly contentType: string | null;
  readonly method: string;
  /** Without credentials. */
  readonly headers: Texts;
  readonly query: Texts;
}

/** What became of it. */
export interface LoggedOutcome {
  readonly dedupeId: string;
  readonly outcome: DeliveryOutcome;
  readonly error: TriggerDeliveryDocument['error'];
  readonly playId: string | null;
  readonly replayOf: string | null;
}

/** Writes the log of deliveries before they are answered, and keeps it bounded. A log that cannot be written refuses nothing. */
@Injectable()
export class DeliveryLog {
  private readonly written = new LRUCache<string, { deliveries: number; bytes: number }>({ max: MAX_COUNTED });
  private readonly notLogged: (error: unknown) => void;
  private readonly notTrimmed: (error: unknown) => void;

  constructor(
    private readonly deliveries: TriggerDeliveriesRepository,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    this.notLogged = warnRarely(log, 'triggers', 'deliveries were taken and are missing in their log');
    this.notTrimmed = warnRarely(log, 'triggers', 'a log of deliveries was not trimmed');
  }

  async add(id: string, trigger: TriggerDocument, sent: SentDelivery, logged: LoggedOutcome): Promise<void> {
    await this.keep(id, trigger, sent, logged).catch(this.notLogged);
  }

  /** The same for a delivery that counts only when it is in the log. One that is there already is not written again. */
  async keep(id: string, trigger: TriggerDocument, sent: SentDelivery, logged: LoggedOutcome): Promise<void> {
    const { outcome, replayOf } = logged;
    this.metrics.triggerDelivery(outcome);
    const now = this.mongo.serverNow();
    const { company_id, flow_id, _id: trigger_id } = trigger;
    const of = { _id: id, company_id, flow_id, trigger_id, bytes: sent.body.length };
    const delivery: TriggerDeliveryDocument = {
      ...of,
      dedupe_id: logged.dedupeId,
      received_at: new Date(now),
      outcome,
      error: logged.error,
      play_id: logged.playId,
      method: sent.method,
      content_type: sent.contentType,
      headers: sent.headers,
      query: sent.query,
      replay_of: replayOf,
      expires_at: new Date(now + KEPT_MS.delivery),
    };
    // a duplicate has the body of the first one, and a replay that of what it repeats
    const isFirst = outcome !== 'duplicate' && replayOf === null && of.bytes <= MOST_KEPT_BYTES;
    const body: TriggerBodyDocument | null = isFirst
      ? { ...of, body: sent.body, expires_at: new Date(now + KEPT_MS.body) }
      : null;
    const scope = new TenantScope(company_id);
    await this.deliveries.insert(scope, delivery, body);
    this.trimSometimes(scope, trigger_id, body?.bytes ?? 0);
  }

  private trimSometimes(scope: TenantScope, triggerId: string, bytes: number): void {
    const before = this.written.get(triggerId) ?? { deliveries: 0, bytes: 0 };
    const now = { deliveries: before.deliveries + 1, bytes: before.bytes + bytes };
    const isDue = now.deliveries >= TRIM_AFTER.deliveries || now.bytes >= TRIM_AFTER.bytes;
    this.written.set(triggerId, isDue ? { deliveries: 0, bytes: 0 } : now);
    if (isDue) this.deliveries.trim(scope, triggerId, LIMITS).catch(this.notTrimmed);
  }
}
