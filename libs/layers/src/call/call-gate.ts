/** What stands between a layer and those it calls: rate limits, and destinations that are down or paused. */
import type { RateLimit } from '@weft/shapes';
import { EgressError, type EgressClient, type EgressDialer, type EgressResponse } from '@weft/egress';
import type { LayerWait } from '@weft/engine';
import { LRUCache } from 'lru-cache';
import { LayerFailure, type LayerContext } from '../layer-module.js';
import { throwPlayLost } from './failure.js';
import type { CallClock } from './time-limit.js';

export interface GateAsk {
  readonly companyId: string;
  /** `host:port`. */
  readonly destination: string;
  /** Limits of the links whose credentials the call has used, by the id of the link. */
  readonly links: ReadonlyMap<string, RateLimit>;
  /** The play has paused for this call before: it goes before those that come now. */
  readonly hasPaused: boolean;
  /** False for a call that cannot be left for later: the gate then waits until it may be made. */
  readonly mayPause: boolean;
  /** For how long it waits in the slot of its play for a rate limit, before it is left for later, in ms; left out: for a moment. */
  readonly slotMs?: number | undefined;
  /** When it is aborted, a call that waits for a rate limit is left for later at once. */
  readonly leave?: AbortSignal | undefined;
  /** What the flow wants of a call to a destination that is down or paused. */
  readonly onDown: 'fail' | 'park';
  readonly signal: AbortSignal;
}

/** How a call ended, as far as it says something of its destination; null: it does not. */
export type CallEnd = 'answered' | 'failed' | null;

/** The call may be made now; whoever makes it says how it ended. */
export interface GatePass {
  ended(how: CallEnd): void;
}

/** The layer's call is made later: its play gives up its slot. */
export interface GatePause {
  readonly kind: 'rate_limit' | 'destination_down';
  /** Null: until the destination takes calls again. */
  readonly waitMs: number | null;
  readonly destination: string;
}

export interface CallGate {
  /**
   * Null when the call may be made now, and nobody wants to know how it ends; a promise when something has to be looked
   * up or waited for.
   *
   * @throws LayerFailure `destination_paused`
   */
  enter(ask: GateAsk): GateAnswer | Promise<GateAnswer>;
}

export type GateAnswer = GatePause | GatePass | null;

export function isPauseOfGate(answer: GateAnswer): answer is GatePause {
  return answer !== null && 'kind' in answer;
}

/** Thrown through the module instead of a call. */
export class PausedCall extends LayerFailure {
  constructor(
    readonly pause: GatePause,
    /** Of a loop: the last item that has failed. */
    readonly failedUpTo?: number,
  ) {
    super('cancelled', 'The call is made later.');
    this.name = 'PausedCall';
  }
}

export interface GatedCall extends Pick<GateAsk, 'companyId' | 'links' | 'onDown' | 'signal' | 'slotMs' | 'leave'> {
  /** The destination for which the play has paused before this call. */
  readonly pausedFor: string | undefined;
  readonly clock: CallClock;
  /** Asked anew when the call had to wait, and when it is sent: whether the play still belongs to this worker. */
  readonly proven?: (() => true | Promise<boolean>) | undefined;
}

/** The services of a call. */
export interface Gated extends Pick<LayerContext, 'http' | 'sockets'> {
  /**
   * The way through the gate for what goes over a connection that is open already.
   *
   * @param times how many calls it is for the rate limits
   */
  readonly through: <T>(
    destination: string,
    times: number,
    make: () => Promise<T>,
    endOf: (made: T) => CallEnd,
  ) => Promise<T>;
}

/** The same services; each request and each connection asks the gate first, and is sent only while the play is this worker's. */
export function gatedServices(
  services: { readonly http: EgressClient; readonly sockets: EgressDialer },
  gate: CallGate | null,
  call: GatedCall,
): Gated {
  const { http, sockets } = provenServices(services, call);
  if (!gate) return { http, sockets, through: (_destination, _times, make) => make() };
  let hasSent = false;
  const enter = async (destination: string): Promise<GatePass | null> => {
    const { clock, proven, pausedFor, ...ask } = call;
    // what was sent already would be sent again
    const entered = gate.enter({ ...ask, destination, hasPaused: pausedFor === destination, mayPause: !hasSent });
    if (entered instanceof Promise) {
      const resume = clock.stop();
      let pass: GatePass | null = null;
      try {
        const answer = await entered;
        if (isPauseOfGate(answer)) throw new PausedCall(answer);
        pass = answer;
        if (proven && !(await proven())) throwPlayLost();
        hasSent = true;
        return pass;
      } catch (error) {
        pass?.ended(null);
        if (call.signal.aborted) throwPlayLost();
        throw error;
      } finally {
        resume();
      }
    }
    if (isPauseOfGate(entered)) throw new PausedCall(entered);
    hasSent = true;
    return entered;
  };
  const through = async <T>(destination: string, make: () => Promise<T>, endOf: (made: T) => CallEnd): Promise<T> => {
    const pass = await enter(destination);
    if (!pass) return make();
    try {
      const made = await make();
      pass.ended(endOf(made));
      return made;
    } catch (error) {
      pass.ended(call.clock.stoodStill ? null : endOfFailed(error, call.signal));
      throw error;
    }
  };
  const throughAll: Gated['through'] = async (destination, times, make, endOf) => {
    for (let further = 1; further < times; further += 1) (await enter(destination))?.ended(null);
    return through(destination, make, endOf);
  };
  return {
    through: throughAll,
    http: {
      close: () => http.close(),
      request: async (request) => {
        const destination = destinationOf(request.url);
        if (destination === null) return http.request(request);
        return through(
          destination,
          () => http.request(request),
          (response) => endOfAnswered(response, destination),
        );
      },
    },
    sockets: {
      ...(sockets.trusted && { trusted: sockets.trusted }),
      dial: async (target) => {
        const destination = `${hostOf(target.host.toLowerCase())}:${target.port}`;
        return through(
          destination,
          () => sockets.dial(target),
          () => 'answered',
        );
      },
    },
  };
}

/** A connection may take long, or this process may stand still meanwhile: the request is written on a proof of that moment. */
function provenServices<Services extends { readonly http: EgressClient; readonly sockets: EgressDialer }>(
  { http, sockets }: Services,
  { proven, clock }: Pick<GatedCall, 'proven' | 'clock'>,
): Pick<Services, 'http' | 'sockets'> {
  if (!proven) return { http, sockets };
  const mayBeSent = (): true | Promise<boolean> => {
    const proof = proven();
    return proof === true ? true : proof.finally(clock.stop());
  };
  return {
    http: { close: () => http.close(), request: (request) => http.request({ ...request, mayBeSent }) },
    sockets: {
      ...(sockets.trusted && { trusted: sockets.trusted }),
      dial: async (target) => {
        const socket = await sockets.dial(target);
        const proof = mayBeSent();
        if (proof === true || (await proof)) return socket;
        socket.destroy();
        return throwPlayLost();
      },
    },
  };
}

/** Scheme and authority of the plainest form; what follows does not change where the call goes. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z0-9.-]{1,253}(?::\d{1,5})?(?=[/?#]|$)/;
/** Destinations of the origins that were called last. They follow from the text alone, so all companies share them. */
const ofOrigins = new LRUCache<string, string>({ max: 1_000 });

/** `host:port`; null when it is not an address of HTTP, which the client refuses. */
export function destinationOf(url: string): string | null {
  const origin = PLAIN_ORIGIN.exec(url)?.[0];
  if (origin === undefined) return parsedDestination(url);
  const known = ofOrigins.get(origin);
  if (known !== undefined) return known;
  const destination = parsedDestination(origin);
  if (destination !== null) ofOrigins.set(origin, destination);
  return destination;
}

function parsedDestination(url: string): string | null {
  const target = URL.parse(url);
  if (!target || (target.protocol !== 'http:' && target.protocol !== 'https:')) return null;
  return `${hostOf(target.hostname)}:${target.port || (target.protocol === 'https:' ? '443' : '80')}`;
}

/** These say of the request that it is not understood: the destination is there. */
const NOT_DOWN: ReadonlySet<number> = new Set([501, 505]);

function endOfAnswered({ statusCode, url }: EgressResponse, destination: string): CallEnd {
  // after a redirect, another destination has answered
  if (destinationOf(url) !== destination) return statusCode < 500 ? 'answered' : null;
  return endOfStatus(statusCode);
}

function endOfStatus(statusCode: number): CallEnd {
  return statusCode >= 500 && !NOT_DOWN.has(statusCode) ? 'failed' : 'answered';
}

function endOfFailed(error: unknown, signal: AbortSignal): CallEnd {
  // what failed after the first answer, such as the target of a redirect, says nothing of the destination
  if (error instanceof EgressError && error.firstStatus !== undefined) return endOfStatus(error.firstStatus);
  // the time limit of the layer aborts the request
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (cause instanceof LayerFailure && cause.out?.sqlState !== undefined) return 'answered';
  const code = cause instanceof EgressError || cause instanceof LayerFailure ? cause.code : null;
  if (code === 'output_too_large') return 'answered';
  return code === 'connect_failed' || code === 'timeout' ? 'failed' : null;
}

/** The same host with and without the dot at its end. */
function hostOf(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** The wait of a layer whose call is made later. */
export function waitFor({ pause, failedUpTo }: PausedCall, position: number, ref: string, now: Date): LayerWait {
  const { kind, waitMs, destination } = pause;
  const until = waitMs === null ? null : new Date(now.getTime() + waitMs);
  return { position, ref, kind, since: now, until, destination, ...(failedUpTo !== undefined && { failedUpTo }) };
}
