import { fullRate, rateAtStep } from '@weft/engine';
import {
  LayerFailure,
  type CallGate,
  type GateAnswer,
  type GateAsk,
  type GatePass,
  type GatePause,
} from '@weft/layers';
import type { DestinationDocument } from '@weft/persistence';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompanyDestinations } from './destination-book.js';
import type { DestinationHealth } from './destination-health.js';
import { MOMENT_MS, type NamedLimit, type RateLimiter } from './rate-limiter.js';

/** A play whose release is lost comes back by itself after this; half as much at least, so that not all come at once. */
const FALLBACK_MS = 3_600_000;

export interface DestinationBook {
  /** What users or outages say of the destinations of a company; a promise only when it has to be read. */
  get(companyId: string): CompanyDestinations | Promise<CompanyDestinations | undefined>;
  /** The same as it is now. */
  readAgain(companyId: string): Promise<CompanyDestinations | undefined>;
}

/**
 * Lets calls of layers through: by the rate limits of their destination and of the links that they use, and by whether the
 * destination is down or paused.
 */
export class DestinationGate implements CallGate {
  constructor(
    private readonly book: DestinationBook,
    private readonly limiter: Pick<RateLimiter, 'take'>,
    private readonly health: Pick<DestinationHealth, 'begin' | 'probe'>,
  ) {}

  enter(ask: GateAsk): GateAnswer | Promise<GateAnswer> {
    const known = this.book.get(ask.companyId);
    if (known instanceof Promise) return known.then((read) => this.judge(ask, read?.byAddress.get(ask.destination)));
    const destination = known.byAddress.get(ask.destination);
    // a play that was released is not sent away by what this worker read before
    if (ask.hasPaused && (destination?.state === 'down' || destination?.state === 'paused')) return this.judgeAnew(ask);
    return this.judge(ask, destination);
  }

  private async judgeAnew(ask: GateAsk): Promise<GateAnswer> {
    return this.judge(ask, (await this.book.readAgain(ask.companyId))?.byAddress.get(ask.destination));
  }

  private judge(ask: GateAsk, known: DestinationDocument | undefined): GateAnswer | Promise<GateAnswer> {
    if (known?.state === 'paused') return untilReleased(ask) ?? refusePaused(ask);
    if (known?.state === 'down') {
      const probe = this.health.probe(ask.companyId, known, ask.hasPaused);
      if (probe) return probe.then((pass) => (pass ? this.tryWithin(ask, known, pass) : this.whileDown(ask, known)));
      return this.whileDown(ask, known);
    }
    return this.limited(ask, known);
  }

  private whileDown(ask: GateAsk, known: DestinationDocument): GateAnswer | Promise<GateAnswer> {
    return untilReleased(ask) ?? this.limited(ask, known);
  }

  /**
   * The one call that tries a destination is within the limits of all calls. Without room in them it says nothing of it, and gets
   * no turn: nobody would come for it, and the turns of those that ask in vain would keep every later one from trying.
   */
  private async tryWithin(ask: GateAsk, known: DestinationDocument, pass: GatePass): Promise<GateAnswer> {
    const limits = limitsOf(ask, known);
    if (limits.length === 0 || (await this.limiter.take(ask.companyId, limits, 'again')) === 0) return pass;
    pass.ended(null);
    return this.whileDown(ask, known);
  }

  private limited(ask: GateAsk, known: DestinationDocument | undefined): GateAnswer | Promise<GateAnswer> {
    const { destination: id, companyId } = ask;
    const limits = limitsOf(ask, known);
    const isRecovering = known !== undefined && comesBack(known) && ask.onDown === 'park';
    if (isRecovering) limits.push(...recoveryLimits(id, known));
    const pass = () => this.health.begin(companyId, id, known);
    if (limits.length === 0) return pass();
    return this.turn(ask, limits).then((pause) => {
      if (pause === null) return pass();
      return isRecovering ? (untilReleased(ask) ?? pause) : pause;
    });
  }

  /** Waits for a moment in the slot of the play; for longer, only a call that cannot be left for later, or keeps the slot. */
  private async turn(ask: GateAsk, limits: readonly NamedLimit[]): Promise<GatePause | null> {
    const { companyId, destination, signal, keepsSlot = false } = ask;
    const mayPause = ask.mayPause && !keepsSlot;
    let waitMs = await this.limiter.take(companyId, limits, ask.hasPaused ? 'kept' : 'new');
    let waitedMs = 0;
    while (waitMs > 0) {
      if (mayPause && waitMs > MOMENT_MS) return { kind: 'rate_limit', waitMs, destination };
      await sleep(waitMs, undefined, { signal });
      waitedMs += waitMs;
      const isLate = mayPause && waitedMs > MOMENT_MS;
      waitMs = await this.limiter.take(companyId, limits, isLate ? 'kept' : 'again');
      // others are always first: the play takes a turn at the end of the queue, outside of its slot
      if (isLate && waitMs > 0) waitMs = Math.max(waitMs, MOMENT_MS + 1);
    }
    return null;
  }
}

/** Of the destination, and of the links whose credentials the call has used. */
function limitsOf({ destination: id, links }: GateAsk, known: DestinationDocument | undefined): NamedLimit[] {
  const ofLinks = [...links].map(([link, rate]) => ({ id: `link:${link}`, rate }));
  return known?.rate_limit ? [{ id, rate: known.rate_limit }, ...ofLinks] : ofLinks;
}

/** Null: this call is not left for later. */
function untilReleased({ onDown, mayPause, destination }: GateAsk): GatePause | null {
  if (onDown !== 'park' || !mayPause) return null;
  return { kind: 'destination_down', waitMs: FALLBACK_MS * (0.5 + Math.random() / 2), destination };
}

function refusePaused({ destination }: GateAsk): never {
  const message = `${destination} is paused: nobody calls it until an editor releases it (POST /destinations/${destination}/release).`;
  throw new LayerFailure('destination_paused', message);
}

/** Also for as long as those may be under way that were released last. */
function comesBack({ state, sweepUntil, rate }: DestinationDocument): boolean {
  return state === 'recovering' || (state === 'up' && sweepUntil !== undefined && typeof rate === 'number');
}

/** Of this step of the recovery, and never more than at its end while workers learn of the next step one after another. */
function recoveryLimits(id: string, { rate = null, step = 0 }: DestinationDocument): NamedLimit[] {
  const limitOf = (limit: number) => ({ limit, per: 'second' }) as const;
  const ofStep = rateAtStep(rate, step);
  return [
    { id: `recovery:${id}`, rate: limitOf(Math.max(fullRate(rate), ofStep)) },
    { id: `recovery:${id}:step`, rate: limitOf(ofStep) },
  ];
}
