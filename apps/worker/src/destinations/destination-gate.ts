import { fullRate, rateAtStep } from '@weft/engine';
import {
  LayerFailure,
  type CallGate,
  type GateAnswer,
  type GateAsk,
  type GatePass,
  type GatePause,
} from '@weft/layers';
import type { DestinationDocument } from '@weft/records';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompanyDestinations } from './destination-book.js';
import type { DestinationHealth } from './destination-health.js';
import { MOMENT_MS, type NamedLimit, type RateLimiter } from './rate-limiter.js';

/** A call that waits in the slot of its play looks this often whether its destination is down or paused, or has another limit. */
const SLICE_MS = 2_000;
/** A play whose release is lost comes back by itself after this; half as much at least, so that not all come at once. */
const FALLBACK_MS = 3_600_000;

export interface DestinationBook {
  /** What users or outages say of the destinations of a company; a promise only when it has to be read. */
  get(companyId: string): CompanyDestinations | Promise<CompanyDestinations | undefined>;
  /** The same as it is now. */
  readAgain(companyId: string): Promise<CompanyDestinations | undefined>;
}

/** A call that may have waited in the slot of its play already. */
interface WaitingCall extends GateAsk {
  readonly waitedMs?: number;
  /** Until the turn that it has got. */
  readonly turnInMs?: number;
}

/**
 * Lets calls of layers through: by the rate limits of their destination and of the links that they use, and by whether the
 * destination is down or paused.
 */
export class DestinationGate implements CallGate {
  private sleeping = 0;

  constructor(
    private readonly book: DestinationBook,
    private readonly limiter: Pick<RateLimiter, 'take'>,
    private readonly health: Pick<DestinationHealth, 'begin' | 'probe'>,
    private readonly sliceMs = SLICE_MS,
  ) {}

  /** Calls that wait for rate limits in the slots of their plays. */
  get waiting(): number {
    return this.sleeping;
  }

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

  private judge(ask: WaitingCall, known: DestinationDocument | undefined): GateAnswer | Promise<GateAnswer> {
    if (known?.state === 'paused') return untilReleased(ask) ?? refusePaused(ask);
    if (known?.state === 'down') {
      const probe = this.health.probe(ask.companyId, known, ask.hasPaused);
      if (probe) return probe.then((pass) => (pass ? this.tryWithin(ask, known, pass) : this.whileDown(ask, known)));
      return this.whileDown(ask, known);
    }
    return this.limited(ask, known);
  }

  private whileDown(ask: WaitingCall, known: DestinationDocument): GateAnswer | Promise<GateAnswer> {
    return untilReleased(ask) ?? this.limited(ask, known);
  }

  /**
   * The one call that tries a destination is within the limits of all calls. Without room in them it says nothing of it, and gets
   * no turn: nobody would come for it, and the turns of those that ask in vain would keep every later one from trying.
   */
  private async tryWithin(ask: WaitingCall, known: DestinationDocument, pass: GatePass): Promise<GateAnswer> {
    const limits = ownLimitsOf(ask, known);
    if (limits.length === 0 || (await this.limiter.take(ask.companyId, limits, 'again')) === 0) return pass;
    pass.ended(null);
    return this.whileDown(ask, known);
  }

  private limited(ask: WaitingCall, known: DestinationDocument | undefined): GateAnswer | Promise<GateAnswer> {
    const limits = limitsOf(ask, known);
    return limits.length === 0 ? this.pass(ask, known) : this.turn(ask, known, limits);
  }

  private pass({ companyId, destination }: GateAsk, known: DestinationDocument | undefined): GateAnswer {
    return this.health.begin(companyId, destination, known);
  }

  /**
   * Waits in the slot of the play: for a moment, longer if the log of the play is full, and for as long as it takes if the call
   * cannot be left for later. A call that finds no room after the first moment takes a turn at the end of the queue, as plays do
   * that pause: these would otherwise come too late each time.
   */
  private async turn(
    ask: WaitingCall,
    known: DestinationDocument | undefined,
    limits: readonly NamedLimit[],
  ): Promise<GateAnswer> {
    const { companyId, mayPause, slotMs = MOMENT_MS } = ask;
    let { waitedMs = 0 } = ask;
    const { turnInMs = 0 } = ask;
    let waitMs = await this.limiter.take(companyId, limits, turnOf(ask));
    // what has changed leaves it its turn
    if (waitMs > 0) waitMs = Math.max(waitMs, turnInMs);
    while (waitMs > 0) {
      const isOver = waitMs > slotMs || (waitedMs > MOMENT_MS && waitedMs + waitMs > slotMs);
      if (mayPause && isOver) return pauseFor(ask, known, waitMs);
      const waited = await this.sleep(ask, known, waitMs);
      if (waited.end === 'left') return pauseFor(ask, known, waitMs - waited.ms);
      waitedMs += waited.ms;
      if (waited.end === 'changed') return this.judge({ ...ask, waitedMs, turnInMs: waitMs - waited.ms }, waited.now);
      waitMs = await this.limiter.take(companyId, limits, turnOf({ ...ask, waitedMs, turnInMs: 0 }));
    }
    return this.pass(ask, known);
  }

  private async sleep(ask: WaitingCall, known: DestinationDocument | undefined, waitMs: number): Promise<Slept> {
    this.sleeping += 1;
    try {
      for (let ms = 0; ms < waitMs;) {
        const sliceMs = Math.min(waitMs - ms, this.sliceMs);
        if (!(await sleepUnlessLeft(sliceMs, ask))) return { end: 'left', ms };
        ms += sliceMs;
        const now = (await this.book.get(ask.companyId))?.byAddress.get(ask.destination);
        if (!areAlike(ask, known, now)) return { end: 'changed', ms, now };
      }
      return { end: 'over', ms: waitMs };
    } finally {
      this.sleeping -= 1;
    }
  }
}

/** A call gets one turn at a time: before that has come it only asks again. */
function turnOf({ hasPaused, waitedMs = 0, turnInMs = 0 }: WaitingCall): 'new' | 'kept' | 'again' {
  if (waitedMs === 0) return hasPaused ? 'kept' : 'new';
  return turnInMs <= 0 && waitedMs > MOMENT_MS ? 'kept' : 'again';
}

/** How the wait of a call ended, and after how long. */
type Slept =
  | { readonly end: 'over' | 'left'; readonly ms: number }
  /** What is known of its destination is not what it was. */
  | { readonly end: 'changed'; readonly ms: number; readonly now: DestinationDocument | undefined };

/** False: the call is left for later. */
async function sleepUnlessLeft(ms: number, { signal, leave, mayPause }: GateAsk): Promise<boolean> {
  const ends = leave && mayPause ? AbortSignal.any([signal, leave]) : signal;
  try {
    await sleep(ms, undefined, { signal: ends });
    return true;
  } catch (error) {
    if (signal.aborted || !ends.aborted) throw error;
    return false;
  }
}

/** Whether the same is to be done with the call. */
function areAlike(ask: GateAsk, one: DestinationDocument | undefined, other: DestinationDocument | undefined): boolean {
  if (one === other) return true;
  const factsOf = (known: DestinationDocument | undefined) => JSON.stringify([known?.state, limitsOf(ask, known)]);
  return factsOf(one) === factsOf(other);
}

/** What the play pauses for is later than what it would have waited for in its slot. */
function pauseFor(ask: GateAsk, known: DestinationDocument | undefined, waitMs: number): GatePause {
  const pause = { kind: 'rate_limit', waitMs: Math.max(waitMs, MOMENT_MS + 1), destination: ask.destination } as const;
  return isRecovering(ask, known) ? (untilReleased(ask) ?? pause) : pause;
}

/** Of the destination, of the links whose credentials the call has used, and of its recovery. */
function limitsOf(ask: GateAsk, known: DestinationDocument | undefined): NamedLimit[] {
  const limits = ownLimitsOf(ask, known);
  if (isRecovering(ask, known)) limits.push(...recoveryLimits(ask.destination, known));
  return limits;
}

function isRecovering({ onDown }: GateAsk, known: DestinationDocument | undefined): known is DestinationDocument {
  return known !== undefined && comesBack(known) && onDown === 'park';
}

/** Of the destination, and of the links whose credentials the call has used. */
function ownLimitsOf({ destination: id, links }: GateAsk, known: DestinationDocument | undefined): NamedLimit[] {
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
