import { lastIdAt } from '@weft/kernel';
import { ChangeLog, type ChangeBatchDocument, type Mongo, type TenantScope } from '@weft/store';
import {
  WebhookDeliveriesRepository,
  WebhookReplaysRepository,
  type DeliveryDocument,
  type ReplayDocument,
  type WebhookDocument,
} from '@weft/records';
import type { CompanyOutbox } from './company-outbox.js';
import { portions } from './portions.js';

const REPLAYS_AT_ONCE = 10;
const DELIVERIES_PER_STEP = 500;
const BATCHES_PER_STEP = 10;
/** News of the company go first: no further step of a pass begins after this time. */
const MAX_MS = 2_000;
/** Times of batches, of plays and of events are compared: they are made by different processes. */
const LATE_MS = 15 * 60_000;

/** Replays deliveries of a time, a bounded step of each replay per pass. A step that is repeated after a crash changes nothing more. */
export class ReplayRunner {
  private readonly replays: WebhookReplaysRepository;
  private readonly deliveries: WebhookDeliveriesRepository;
  private readonly log: ChangeLog;

  constructor(
    private readonly mongo: Mongo,
    private readonly outbox: Pick<CompanyOutbox, 'deliveriesOf' | 'backlogs'>,
  ) {
    this.replays = new WebhookReplaysRepository(mongo);
    this.deliveries = new WebhookDeliveriesRepository(mongo);
    this.log = new ChangeLog(mongo);
  }

  async pass(scope: TenantScope, webhooks: readonly WebhookDocument[]): Promise<void> {
    const startedAt = performance.now();
    for (const replay of await this.replays.running(scope, REPLAYS_AT_ONCE)) {
      if (performance.now() - startedAt > MAX_MS) return;
      const webhook = webhooks.find(({ _id }) => _id === replay.webhook_id);
      if (!webhook) await this.end(scope, replay, 'aborted');
      else if (replay.only === 'failed') await this.replayFailed(scope, replay);
      else await this.replayAll(scope, replay, webhook);
    }
  }

  private async replayFailed(scope: TenantScope, replay: ReplayDocument): Promise<void> {
    const [at = '', id = ''] = replay.position.split(' ');
    const after = id === '' ? null : { at: new Date(Number(at)), id };
    const step = await this.deliveries.replayGivenUp(scope, replay.webhook_id, replay, after, DELIVERIES_PER_STEP);
    const { matched, changed, last } = step;
    const isOver = matched < DELIVERIES_PER_STEP;
    const position = last ? `${last.at.getTime()} ${last.id}` : replay.position;
    const counts = { matched, changed, skipped: matched - changed };
    await this.replays.moveOn(scope, replay, { position, ...(isOver && this.over('done')) }, counts);
  }

  /** From the change log: so what happened while the endpoint was disabled is sent, too. */
  private async replayAll(scope: TenantScope, replay: ReplayDocument, webhook: WebhookDocument): Promise<void> {
    if (await this.outbox.backlogs.isFull(scope, webhook._id)) {
      // where nothing is delivered, nothing makes room: it would hold its place among the company's replays for ever
      if (!webhook.enabled) await this.end(scope, replay, 'aborted');
      return;
    }
    const from = replay.position === '' ? await this.beginningOf(scope, replay) : Number(replay.position);
    const batches = from === null ? [] : await this.log.read(scope, from, BATCHES_PER_STEP);
    let matched = 0;
    for (const batch of batches) {
      for await (const found of portions(this.eventsOf(scope, batch, replay, webhook), DELIVERIES_PER_STEP)) {
        await this.deliveries.addOrReplay(scope, found);
        this.outbox.backlogs.add(webhook._id, found.length);
        matched += found.length;
      }
    }
    const isOver = batches.length < BATCHES_PER_STEP;
    const position = String((batches.at(-1)?.n ?? 0) + 1);
    await this.replays.moveOn(
      scope,
      replay,
      { position, ...(isOver && this.over('done')) },
      { matched, changed: matched },
    );
  }

  /** Nothing comes into the log before it has happened; but long afterwards, when the first walk comes to it. */
  private beginningOf(scope: TenantScope, { since }: ReplayDocument): Promise<number | null> {
    return this.log.firstSince(scope, new Date(since.getTime() - LATE_MS));
  }

  private async *eventsOf(
    scope: TenantScope,
    batch: ChangeBatchDocument,
    { since, until }: ReplayDocument,
    webhook: WebhookDocument,
  ): AsyncGenerator<DeliveryDocument> {
    const lastId = lastIdAt(until.getTime() + LATE_MS);
    const taker = { ...webhook, from_batch: 0, from_at: since };
    for await (const delivery of this.outbox.deliveriesOf(scope, batch, [taker], lastId)) {
      if (delivery.at >= since && delivery.at < until) yield delivery;
    }
  }

  private async end(scope: TenantScope, replay: ReplayDocument, state: 'done' | 'aborted'): Promise<void> {
    await this.replays.moveOn(scope, replay, this.over(state));
  }

  private over(state: 'done' | 'aborted') {
    return { state, completedAt: new Date(this.mongo.serverNow()) };
  }
}
