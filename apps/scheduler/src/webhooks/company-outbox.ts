import { toLabels } from '@weft/engine';
import {
  ChangeFeedsRepository,
  ChangeLog,
  EventPlaysRepository,
  FIRST_LIVE,
  PASS_WITHIN_MS,
  TenantScope,
  type ChangeBatchDocument,
  type ChangeSequencer,
  type Mongo,
  type PlayChangeRange,
} from '@weft/store';
import {
  WebhookDeliveriesRepository,
  WebhookOutboxesRepository,
  WebhookRepository,
  type DeliveryDocument,
  type WebhookDocument,
} from '@weft/records';
import { within } from '@weft/process';
import { PLAY_EVENTS } from '@weft/shapes';
import { deliveryOfPlay, eventsOfPlay, orderOf, wants } from '@weft/webhooks';
import { EndpointBacklogs } from './endpoint-backlogs.js';
import { portions } from './portions.js';

const BATCHES_PER_READ = 4;
const PLAYS_PER_READ = 50;
const DELIVERIES_PER_WRITE = 500;
/** So that the deliveries of others are sent in between. */
const MAX_BATCHES_PER_PASS = 40;
/** The clocks of processes differ by less: of an event that is nearly old enough, it is not known. */
const CLOCKS_MS = 60_000;
const USED_EVERY_MS = 3_600_000;

const OF_PLAYS: ReadonlySet<string> = new Set(PLAY_EVENTS);

export interface OutboxDependencies {
  readonly mongo: Mongo;
  readonly sequencer: Pick<ChangeSequencer, 'pass'>;
  /** Public address of the API. */
  readonly base: string;
  /** Deliveries of one endpoint that may be pending. */
  readonly maxPending?: number;
}

/**
 * Makes the changes of a company's plays into deliveries. They follow from the change log, whose position is moved on after they
 * are stored: what a process that died has stored is found again, and stored once, because its ids follow from the events.
 */
export class CompanyOutbox {
  readonly backlogs: EndpointBacklogs;
  private readonly feeds: ChangeFeedsRepository;
  private readonly log: ChangeLog;
  private usedAt = Number.NEGATIVE_INFINITY;
  private readonly plays: EventPlaysRepository;
  private readonly outboxes: WebhookOutboxesRepository;
  private readonly webhooks: WebhookRepository;
  private readonly deliveries: WebhookDeliveriesRepository;
  private behind = new Map<string, number>();
  /** The company's, as this process has read or moved it. */
  private position = 0;

  constructor(private readonly deps: OutboxDependencies) {
    const { mongo } = deps;
    this.feeds = new ChangeFeedsRepository(mongo);
    this.log = new ChangeLog(mongo);
    this.plays = new EventPlaysRepository(mongo);
    this.outboxes = new WebhookOutboxesRepository(mongo);
    this.webhooks = new WebhookRepository(mongo);
    this.deliveries = new WebhookDeliveriesRepository(mongo);
    this.backlogs = new EndpointBacklogs(this.deliveries, deps.maxPending);
  }

  /** Ids of endpoints that have too many pending deliveries: later events of theirs are still in the change log alone. */
  get behindIds(): readonly string[] {
    return [...this.behind.keys()];
  }

  /** @param webhooks all endpoints of the company */
  async pass(scope: TenantScope, webhooks: readonly WebhookDocument[]): Promise<void> {
    const enabled = takersIn(webhooks);
    const outbox = await this.outboxes.find(scope);
    if (!outbox) return;
    this.position = outbox.next_batch;
    await this.removeDeleted(scope, outbox.removed ?? []);
    // nobody to deliver to: the position stands still, and a later endpoint begins with its own `from_batch`
    if (enabled.length === 0) return;
    await this.useFeed(scope);
    await within(this.deps.sequencer.pass(scope), PASS_WITHIN_MS);
    const first = Math.min(...enabled.map(({ from_batch }) => from_batch));
    let next = Math.max(outbox.next_batch, first);
    this.backlogs.keep(new Set(webhooks.map(({ _id }) => _id)));
    this.behind = positionsOf(outbox.behind, enabled);
    await this.catchUp(scope, enabled, next);
    for (let done = 0; done < MAX_BATCHES_PER_PASS;) {
      const batches = await this.log.read(scope, next, BATCHES_PER_READ);
      if (batches.length === 0) return;
      // read after the batches: an endpoint that was made before one of their events is among them
      const takers = takersIn(await this.webhooks.all(scope));
      if (takers.length === 0) return;
      for (const batch of batches) {
        const ready = await this.withRoom(scope, batch.n, takers);
        await this.store(scope, this.deliveriesOf(scope, batch, ready));
        next = batch.n + 1;
      }
      if (!(await this.moveOn(scope, next))) return;
      if (batches.length < BATCHES_PER_READ) return;
      done += batches.length;
    }
  }

  /** Of these endpoints those that take the batch. Where too much is pending, the endpoint's own position stands still from here on. */
  private async withRoom(
    scope: TenantScope,
    n: number,
    takers: readonly WebhookDocument[],
  ): Promise<readonly WebhookDocument[]> {
    const ready: WebhookDocument[] = [];
    for (const taker of takers) {
      if (this.behind.has(taker._id)) continue;
      if (await this.backlogs.isFull(scope, taker._id)) this.behind.set(taker._id, n);
      else ready.push(taker);
    }
    return ready;
  }

  /** @param until position of the company: what follows, an endpoint gets with the others as soon as it has come there */
  private async catchUp(scope: TenantScope, takers: readonly WebhookDocument[], until: number): Promise<void> {
    for (const taker of takers) {
      const from = this.behind.get(taker._id);
      if (from === undefined || !(await this.backlogs.hasRoom(scope, taker))) continue;
      let n = Math.max(from, taker.from_batch);
      for (let done = 0; n < until && done < MAX_BATCHES_PER_PASS; done += 1) {
        if (await this.backlogs.isFull(scope, taker._id)) break;
        const [batch] = await this.log.read(scope, n, 1);
        if (batch && batch.n < until) await this.store(scope, this.deliveriesOf(scope, batch, [taker]));
        n = batch ? Math.min(batch.n + 1, until) : until;
      }
      if (n < until) this.behind.set(taker._id, n);
      else this.behind.delete(taker._id);
      if (!(await this.moveOn(scope, until))) return;
    }
  }

  /** The positions of all in one write: an event is in the log before one of them, or stored. */
  private async moveOn(scope: TenantScope, next: number): Promise<boolean> {
    const from = { next_batch: this.position };
    const hasMoved = await this.outboxes.moveOn(scope, from, {
      next_batch: next,
      behind: Object.fromEntries(this.behind),
    });
    if (hasMoved) this.position = next;
    return hasMoved;
  }

  private async removeDeleted(scope: TenantScope, webhookIds: readonly string[]): Promise<void> {
    if (webhookIds.length === 0) return;
    const isDone = await this.webhooks.removeOrphans(scope, webhookIds);
    if (isDone) await this.outboxes.forgetRemoved(scope, webhookIds);
  }

  /** The log of a company is kept up and trimmed while somebody uses it. */
  private async useFeed(scope: TenantScope): Promise<void> {
    if (performance.now() - this.usedAt < USED_EVERY_MS) return;
    await this.feeds.use(scope);
    this.usedAt = performance.now();
  }

  /**
   * What these endpoints want of a batch, read as it is taken: a batch may make a hundred deliveries of each of its plays.
   *
   * @param lastId younger plays are left out
   */
  async *deliveriesOf(
    scope: TenantScope,
    batch: ChangeBatchDocument,
    webhooks: readonly WebhookDocument[],
    lastId?: string,
  ): AsyncGenerator<DeliveryDocument> {
    const takers = webhooks.filter(({ from_batch }) => batch.n >= from_batch);
    const ranges = batch.plays
      .map((range, index) => ({ ...range, index }))
      .filter(({ playId }) => lastId === undefined || playId <= lastId)
      .filter(({ flowId }) => takers.some(({ flow_ids }) => flow_ids?.includes(flowId) ?? true));
    const withOutput = takers.some(({ include_out }) => include_out);
    for (let i = 0; i < ranges.length; i += PLAYS_PER_READ) {
      const chunk = ranges.slice(i, i + PLAYS_PER_READ);
      const read = (ids: readonly string[]) => this.plays.read(scope, ids, withOutput);
      const { plays, hasMore } = await read(chunk.map(({ playId }) => playId));
      for (const range of chunk) {
        const { playId } = range;
        const play = plays.get(playId) ?? (hasMore ? (await read([playId])).plays.get(playId) : undefined);
        yield* this.ofPlay(batch.n, range, play, takers);
      }
    }
  }

  /** Stores them, and takes back those of an endpoint that was deleted meanwhile. */
  async store(
    scope: TenantScope,
    deliveries: AsyncIterable<DeliveryDocument> | Iterable<DeliveryDocument>,
  ): Promise<void> {
    for await (const portion of portions(deliveries, DELIVERIES_PER_WRITE)) {
      await this.deliveries.add(scope, portion);
      for (const { webhook_id } of portion) this.backlogs.add(webhook_id, 1);
      await this.webhooks.removeOrphans(scope, [...new Set(portion.map(({ webhook_id }) => webhook_id))]);
    }
  }

  private *ofPlay(
    n: number,
    { index, from, to }: PlayChangeRange & { readonly index: number },
    play: Parameters<typeof deliveryOfPlay>[1] | undefined,
    takers: readonly WebhookDocument[],
  ): Generator<DeliveryDocument> {
    if (!play) return; // it was deleted
    const now = new Date(this.deps.mongo.serverNow());
    const [{ flowId }, labels] = [play, toLabels(play.labels)];
    for (const event of eventsOfPlay(play.log, from, to)) {
      for (const webhook of takers) {
        if (!wants(webhook, { type: event.type, flowId, labels }) || isTooOld(webhook, n, event.at)) continue;
        yield deliveryOfPlay(webhook, play, event, orderOf(n, index, event.entry), this.deps.base, now);
      }
    }
  }
}

/** The first walk puts what was stored before into batches that an endpoint of now reads, too. Later batches have only news. */
function isTooOld(webhook: WebhookDocument, n: number, at: Date): boolean {
  return n < FIRST_LIVE && at.getTime() < webhook.from_at.getTime() - CLOCKS_MS;
}

/** Without those of endpoints that get nothing any more. */
function positionsOf(
  behind: Readonly<Record<string, number>> | undefined,
  takers: readonly WebhookDocument[],
): Map<string, number> {
  const ids = new Set(takers.map(({ _id }) => _id));
  return new Map(Object.entries(behind ?? {}).filter(([id]) => ids.has(id)));
}

function takersIn(webhooks: readonly WebhookDocument[]): WebhookDocument[] {
  return webhooks.filter(({ enabled, events }) => enabled && events.some((type) => OF_PLAYS.has(type)));
}
