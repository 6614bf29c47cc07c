import { TenantScope } from '@weft/store';
import {
  type AttemptResult,
  type DeliveryState,
  type DueDelivery,
  type WebhookDeliveriesRepository,
  type WebhookDocument,
} from '@weft/records';
import { MAX_DELAY_SECONDS } from '@weft/shapes';
import {
  attemptDelivery,
  delayBefore,
  type AttemptDependencies,
  type AttemptOutcome,
  type Signer,
} from '@weft/webhooks';
import type { AttemptResults } from './attempt-results.js';
import { SendLimits, type CompanySlots } from './send-limits.js';

const MIN_FETCH = 20;
const MAX_FETCH = 100;
/** After a result that could not be stored: its delivery is sent again, but not at once and without end. */
const UNSTORED_PAUSE_MS = 1_000;

/** What the endpoint's attempts have shown since it was last asked. */
export interface EndpointNews {
  readonly failures: number;
  readonly hasSucceeded: boolean;
  /** The receiver wants no more. */
  readonly isOver: 'gone' | 'asked' | null;
}

export interface EndpointQueueDependencies extends AttemptDependencies {
  readonly deliveries: Pick<WebhookDeliveriesRepository, 'due' | 'inOrder'>;
  readonly results: Pick<AttemptResults, 'store'>;
  readonly slots: CompanySlots;
  /** Whether this process may still send for the company. */
  readonly maySend: () => boolean;
  readonly signerOf: (webhook: WebhookDocument) => Signer;
  readonly onAttempt: (outcome: AttemptOutcome, state: DeliveryState) => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Sends the deliveries of one endpoint. Only the process with the company's lease has one, so that what is due can be read ahead,
 * and the endpoint's limits are kept here. Nothing is lost with it: a delivery is pending until its result is stored.
 */
export class EndpointQueue {
  private readonly limits: SendLimits;
  private readonly scope: TenantScope;
  /** Being sent, or with a result that is not stored yet. */
  private readonly busy = new Set<string>();
  private ahead: DueDelivery[] = [];
  private sending = 0;
  private isFetching = false;
  private stopped = false;
  private timer?: NodeJS.Timeout;
  private failures = 0;
  private hasSucceeded = false;
  private isOver: EndpointNews['isOver'] = null;
  private signer: Signer;

  constructor(
    private webhook: WebhookDocument,
    private readonly deps: EndpointQueueDependencies,
  ) {
    this.scope = new TenantScope(webhook.company_id);
    this.limits = new SendLimits(webhook, () => performance.now());
    this.signer = deps.signerOf(webhook);
  }

  get inFlight(): number {
    return this.sending;
  }

  /** Takes the endpoint as it is now, and looks for what is due. */
  update(webhook: WebhookDocument): void {
    if (webhook.ordered !== this.webhook.ordered) this.ahead = [];
    this.webhook = webhook;
    this.limits.change(webhook);
    this.signer = this.deps.signerOf(webhook);
    void this.fill();
  }

  /** What was learned since the last call. */
  takeNews(): EndpointNews {
    const { failures, hasSucceeded, isOver } = this;
    this.failures = 0;
    this.hasSucceeded = false;
    this.isOver = null;
    return { failures, hasSucceeded, isOver };
  }

  /** Sends no more. Attempts in flight end by themselves. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.ahead = [];
  }

  private async fill(): Promise<void> {
    if (this.isFetching) return;
    this.isFetching = true;
    try {
      while (this.mayStart()) {
        if (this.ahead.length === 0) this.ahead = await this.fetch();
        const next = this.ahead[0];
        if (!next || !this.mayStart()) return;
        const waitMs = this.limits.take();
        if (waitMs > 0) return this.wakeIn(waitMs);
        if (!this.deps.slots.take()) return;
        this.ahead.shift();
        void this.send(next);
      }
    } catch (error) {
      this.deps.onFault(error);
    } finally {
      this.isFetching = false;
    }
  }

  private mayStart(): boolean {
    if (this.stopped || this.isOver || !this.deps.maySend()) return false;
    return this.webhook.ordered ? this.busy.size === 0 : this.sending < this.limits.inFlight;
  }

  private async fetch(): Promise<DueDelivery[]> {
    const { deliveries, serverNow } = this.deps;
    const { _id: id, ordered } = this.webhook;
    const now = new Date(serverNow());
    const isAsBefore = () => ordered === this.webhook.ordered;
    if (ordered) {
      const first = await deliveries.inOrder(this.scope, id, MIN_FETCH);
      // one that waits for its repeat holds up those after it
      const waits = first.findIndex(({ next_attempt: due }) => due === null || due > now);
      return isAsBefore() ? first.slice(0, waits === -1 ? first.length : waits) : [];
    }
    const size = Math.max(MIN_FETCH, Math.min(MAX_FETCH, 8 * this.limits.inFlight));
    const due = await deliveries.due(this.scope, id, now, [...this.busy], size);
    return isAsBefore() ? due : [];
  }

  private async send(delivery: DueDelivery): Promise<void> {
    this.sending += 1;
    this.busy.add(delivery._id);
    let isHeldBack = false;
    // the connection may have taken longer than the lease
    const mayBeSent = (): boolean => !(isHeldBack = !this.deps.maySend());
    const outcome = await attemptDelivery(this.webhook.url, delivery, this.signer, { ...this.deps, mayBeSent });
    this.sending -= 1;
    this.deps.slots.giveBack();
    if (isHeldBack) return this.leave(delivery);
    const result = this.resultOf(delivery, outcome);
    this.learnFrom(outcome);
    this.deps.onAttempt(outcome, result.state);
    if (!this.webhook.ordered) void this.fill();
    // the ones after it wait for it, and whoever comes to it next finds it in the store
    else if (result.state === 'pending') this.ahead = [];
    await this.deps.results.store(result).catch((error: unknown) => {
      this.deps.onFault(error);
      // it may be pending still: where order counts, nothing after it is sent before it is read again
      this.ahead = [];
      this.limits.pause(UNSTORED_PAUSE_MS);
    });
    this.busy.delete(delivery._id);
    void this.fill();
  }

  /** Another process sends it, or this one when it may send again. */
  private leave({ _id: id }: DueDelivery): void {
    this.ahead = [];
    this.busy.delete(id);
  }

  private resultOf(delivery: DueDelivery, outcome: AttemptOutcome): AttemptResult {
    const { _id: id, next_attempt: due, planned_attempt: planned, tries } = delivery;
    const { attempt, verdict, retryAfterMs } = outcome;
    const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    if (isDelivered) return { id, due, attempt, state: 'delivered', next_attempt: null };
    if (verdict === 'abort') return { id, due, attempt, state: 'aborted', next_attempt: null };
    if (verdict === 'retry' && due && planned && due < planned) {
      // it goes on where it was in its schedule
      const askedFor = this.deps.serverNow() + Math.min(retryAfterMs ?? 0, MAX_DELAY_SECONDS * 1_000);
      const next_attempt = new Date(Math.max(planned.getTime(), askedFor));
      return { id, due, attempt, state: 'pending', next_attempt, isEarly: true };
    }
    const delayMs = verdict === 'disable' ? null : delayBefore(this.webhook.schedule, tries + 1, retryAfterMs);
    if (delayMs === null) return { id, due, attempt, state: 'failed', next_attempt: null };
    return { id, due, attempt, state: 'pending', next_attempt: new Date(this.deps.serverNow() + delayMs) };
  }

  private learnFrom({ verdict, attempt, isOverloaded, retryAfterMs }: AttemptOutcome): void {
    if (verdict === 'disable') this.isOver = attempt.status === 410 ? 'gone' : 'asked';
    if (verdict === 'delivered') {
      this.hasSucceeded = true;
      this.failures = 0;
      this.limits.succeeded();
      return;
    }
    this.failures += 1;
    if (attempt.status === null) this.limits.slowDown(null);
    else if (isOverloaded) this.limits.slowDown(retryAfterMs);
  }

  private wakeIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.fill(), ms).unref();
  }
}
