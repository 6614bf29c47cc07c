import type { CallGate, GateAsk, GatePause } from '@weft/layers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompanyDestinations } from './destination-book.js';
import { MOMENT_MS, type NamedLimit, type RateLimiter } from './rate-limiter.js';

export interface DestinationBook {
  /** What users or outages say of the destinations of a company; a promise only when it has to be read. */
  get(companyId: string): CompanyDestinations | Promise<CompanyDestinations | undefined>;
}

/** Lets calls of layers through: by the rate limits of their destination and of the links that they use. */
export class DestinationGate implements CallGate {
  constructor(
    private readonly book: DestinationBook,
    private readonly limiter: Pick<RateLimiter, 'take'>,
  ) {}

  enter(ask: GateAsk): GatePause | null | Promise<GatePause | null> {
    const known = this.book.get(ask.companyId);
    return known instanceof Promise ? known.then((read) => this.judge(ask, read)) : this.judge(ask, known);
  }

  private judge(ask: GateAsk, known: CompanyDestinations | undefined): GatePause | null | Promise<GatePause | null> {
    const rate = known?.byAddress.get(ask.destination)?.rate_limit;
    const limits: NamedLimit[] = rate ? [{ id: ask.destination, rate }] : [];
    for (const [id, ofLink] of ask.links) limits.push({ id: `link:${id}`, rate: ofLink });
    return limits.length === 0 ? null : this.turn(ask, limits);
  }

  /** Waits for a moment in the slot of the play; for longer, only a call that cannot be left for later. */
  private async turn(ask: GateAsk, limits: readonly NamedLimit[]): Promise<GatePause | null> {
    const { companyId, destination, signal } = ask;
    let waitMs = await this.limiter.take(companyId, limits, ask.hasPaused ? 'kept' : 'new');
    let waitedMs = 0;
    while (waitMs > 0) {
      if (ask.mayPause && waitMs > MOMENT_MS) return { kind: 'rate_limit', waitMs, destination };
      await sleep(waitMs, undefined, { signal });
      waitedMs += waitMs;
      const isLate = ask.mayPause && waitedMs > MOMENT_MS;
      waitMs = await this.limiter.take(companyId, limits, isLate ? 'kept' : 'again');
      // others are always first: the play takes a turn at the end of the queue, outside of its slot
      if (isLate && waitMs > 0) waitMs = Math.max(waitMs, MOMENT_MS + 1);
    }
    return null;
  }
}
