/** How many attempts an endpoint may have in flight, and how fast they follow each other. Pure but for the clock it is given. */

/** A receiver that asks for a pause with `Retry-After` gets no longer one for its other deliveries. */
const MAX_PAUSE_MS = 15 * 60_000;

/** At most this many attempts of a company are in flight: its dead receivers hold no slots of other companies. */
export class CompanySlots {
  private taken = 0;

  constructor(private readonly max: number) {}

  get inFlight(): number {
    return this.taken;
  }

  take(): boolean {
    if (this.taken >= this.max) return false;
    this.taken += 1;
    return true;
  }

  giveBack(): void {
    this.taken -= 1;
  }
}

export interface EndpointRates {
  readonly max_in_flight: number;
  readonly ordered: boolean;
  /** Null: as fast as the receiver answers. */
  readonly rate_per_second: number | null;
}

/**
 * The limits of one endpoint. A receiver that does not answer, or is overloaded, has half as many attempts in flight after each
 * such attempt, down to one; each delivery that succeeds allows one more.
 */
export class SendLimits {
  private allowed: number;
  private tokens: number;
  private refilledAt: number;
  private pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private rates: EndpointRates,
    private readonly monotonicMs: () => number,
  ) {
    this.allowed = rates.max_in_flight;
    this.tokens = rates.rate_per_second ?? 0;
    this.refilledAt = monotonicMs();
  }

  get inFlight(): number {
    return this.rates.ordered ? 1 : Math.min(this.allowed, this.rates.max_in_flight);
  }

  change(rates: EndpointRates): void {
    this.rates = rates;
  }

  /** Takes the right to send one now. @returns milliseconds to wait for it; 0: it is taken */
  take(): number {
    const now = this.monotonicMs();
    if (now < this.pausedUntil) return this.pausedUntil - now;
    const { rate_per_second: rate } = this.rates;
    if (rate === null) return 0;
    this.tokens = Math.min(rate, this.tokens + ((now - this.refilledAt) * rate) / 1_000);
    this.refilledAt = now;
    if (this.tokens < 1) return Math.ceil(((1 - this.tokens) * 1_000) / rate);
    this.tokens -= 1;
    return 0;
  }

  succeeded(): void {
    this.allowed = Math.min(this.rates.max_in_flight, this.allowed + 1);
  }

  /** @param retryAfterMs what an overloaded receiver asked for */
  slowDown(retryAfterMs: number | null): void {
    this.allowed = Math.max(1, Math.floor(Math.min(this.allowed, this.rates.max_in_flight) / 2));
    if (retryAfterMs !== null) this.pause(retryAfterMs);
  }

  /** Nothing is sent for this long, or as long as an earlier pause lasts. */
  pause(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.monotonicMs() + Math.min(ms, MAX_PAUSE_MS));
  }
}
