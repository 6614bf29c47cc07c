import { toLabels } from '@weft/engine';
import {
  ChangeFeedsRepository,
  ChangeLog,
  EventPlaysRepository,
  TenantScope,
  WebhookDeliveriesRepository,
  WebhookOutboxesRepository,
  WebhookRepository,
  type ChangeBatchDocument,
  type ChangeSequencer,
  type DeliveryDocument,
  type Mongo,
  type PlayChangeRange,
  type WebhookDocument,
} from '@weft/persistence';
import { deliveryOfPlay, eventsOfPlay, orderOf, PLAY_EVENTS, wants } from '@weft/webhooks';

const BATCHES_PER_READ = 4;
const PLAYS_PER_READ = 50;
const DELIVERIES_PER_WRITE = 500;
/** So that the deliveries of others are sent in between. */
const MAX_BATCHES_PER_PASS = 40;

const USED_EVERY_MS = 3_600_000;

const OF_PLAYS: ReadonlySet<string> = new Set(PLAY_EVENTS);

export interface OutboxDependencies {
  readonly mongo: Mongo;
  readonly sequencer: Pick<ChangeSequencer, 'pass'>;
  /** Public address of the API. */
  readonly base: string;
  /** Of this process, in the leases. */
  readonly owner: string;
}

/**
 * Makes the changes of a company's plays into deliveries. They follow from the change log, whose position is moved on after they
 * are stored: what a process that died has stored is found again, and stored once, because its ids follow from the events.
 */
export class CompanyOutbox {
  private readonly feeds: ChangeFeedsRepository;
  private readonly log: ChangeLog;
  private usedAt = Number.NEGATIVE_INFINITY;
  private readonly plays: EventPlaysRepository;
  private readonly outboxes: WebhookOutboxesRepository;
  private readonly webhooks: WebhookRepository;
  private readonly deliveries: WebhookDeliveriesRepository;

  constructor(private readonly deps: OutboxDependencies) {
    const { mongo } = deps;
    this.feeds = new ChangeFeedsRepository(mongo);
    this.log = new ChangeLog(mongo);
    this.plays = new EventPlaysRepository(mongo);
    this.outboxes = new WebhookOutboxesRepository(mongo);
    this.webhooks = new WebhookRepository(mongo);
    this.deliveries = new WebhookDeliveriesRepository(mongo);
  }

  /** @param webhooks all endpoints of the company */
  async pass(scope: TenantScope, webhooks: readonly WebhookDocument[]): Promise<void> {
    const enabled = takersIn(webhooks);
    const outbox = await this.outboxes.find(scope);
    if (outbox?.owner !== this.deps.owner) return;
    // nobody to deliver to: the position stands still, and a later endpoint begins with its own `from_batch`
    if (enabled.length === 0) return;
    await this.useFeed(scope);
    await this.deps.sequencer.pass(scope);
    const first = Math.min(...enabled.map(({ from_batch }) => from_batch));
    let next = Math.max(outbox.next_batch, first);
    for (let done = 0; done < MAX_BATCHES_PER_PASS;) {
      const batches = await this.log.read(scope, next, BATCHES_PER_READ);
      if (batches.length === 0) return;
      // read after the batches: an endpoint that was made before one of their events is among them
      const takers = takersIn(await this.webhooks.all(scope));
      if (takers.length === 0) return;
      for (const batch of batches) {
        await this.store(scope, await this.deliveriesOf(scope, batch, takers));
        next = batch.n + 1;
      }
      if (!(await this.outboxes.moveOn(scope, this.deps.owner, { next_batch: next }))) return;
      if (batches.length < BATCHES_PER_READ) return;
      done += batches.length;
    }
  }

  /** The log of a company is kept up and trimmed while somebody uses it. */
  private async useFeed(scope: TenantScope): Promise<void> {
    if (performance.now() - this.usedAt < USED_EVERY_MS) return;
    await this.feeds.use(scope);
    this.usedAt = performance.now();
  }

  /** What these endpoints want of a batch. */
  async deliveriesOf(
    scope: TenantScope,
    batch: ChangeBatchDocument,
    webhooks: readonly WebhookDocument[],
  ): Promise<DeliveryDocument[]> {
    const takers = webhooks.filter(({ from_batch }) => batch.n >= from_batch);
    const ranges = batch.plays
      .map((range, index) => ({ ...range, index }))
      .filter(({ flowId }) => takers.some(({ flow_ids }) => flow_ids?.includes(flowId) ?? true));
    const withOutput = takers.some(({ include_out }) => include_out);
    const found: DeliveryDocument[] = [];
    if (takers.length === 0) return found;
    for (let i = 0; i < ranges.length; i += PLAYS_PER_READ) {
      const chunk = ranges.slice(i, i + PLAYS_PER_READ);
      const plays = await this.plays.read(
        scope,
        chunk.map(({ playId }) => playId),
        withOutput,
      );
      for (const range of chunk) found.push(...this.ofPlay(batch.n, range, plays.get(range.playId), takers));
    }
    return found;
  }

  /** Stores them, and takes back those of an endpoint that was deleted meanwhile. */
  async store(scope: TenantScope, deliveries: readonly DeliveryDocument[]): Promise<void> {
    for (let i = 0; i < deliveries.length; i += DELIVERIES_PER_WRITE) {
      await this.deliveries.add(scope, deliveries.slice(i, i + DELIVERIES_PER_WRITE));
    }
    const ids = [...new Set(deliveries.map(({ webhook_id }) => webhook_id))];
    await this.webhooks.removeOrphans(scope, ids);
  }

  private ofPlay(
    n: number,
    { index, from, to }: PlayChangeRange & { readonly index: number },
    play: Parameters<typeof deliveryOfPlay>[1] | undefined,
    takers: readonly WebhookDocument[],
  ): DeliveryDocument[] {
    if (!play) return []; // it was deleted
    const now = new Date(this.deps.mongo.serverNow());
    return eventsOfPlay(play.log, from, to).flatMap((event) =>
      takers
        .filter((webhook) => wants(webhook, { type: event.type, flowId: play.flowId, labels: toLabels(play.labels) }))
        .map((webhook) => deliveryOfPlay(webhook, play, event, orderOf(n, index, event.entry), this.deps.base, now)),
    );
  }
}

function takersIn(webhooks: readonly WebhookDocument[]): WebhookDocument[] {
  return webhooks.filter(({ enabled, events }) => enabled && events.some((type) => OF_PLAYS.has(type)));
}
