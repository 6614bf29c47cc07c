/** What stands between a layer and those it calls: rate limits, and destinations that are down or paused. */
import type { RateLimit } from '@weft/contracts';
import type { EgressClient, EgressDialer } from '@weft/egress';
import type { LayerWait } from '@weft/engine';
import { LayerFailure } from '../layer-module.js';
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
  readonly signal: AbortSignal;
}

/** The layer's call is made later: its play gives up its slot. */
export interface GatePause {
  readonly kind: 'rate_limit' | 'destination_down';
  /** Null: until the destination takes calls again. */
  readonly waitMs: number | null;
  readonly destination: string;
}

export interface CallGate {
  /** Null when the call may be made now; a promise when something has to be looked up or waited for. */
  enter(ask: GateAsk): GatePause | null | Promise<GatePause | null>;
}

/** Thrown through the module instead of a call. */
export class PausedCall extends LayerFailure {
  constructor(readonly pause: GatePause) {
    super('cancelled', 'The call is made later.');
    this.name = 'PausedCall';
  }
}

export interface GatedCall extends Pick<GateAsk, 'companyId' | 'links' | 'hasPaused' | 'signal'> {
  readonly clock: CallClock;
  /** Asked anew when the call had to wait: whether the play still belongs to this worker. */
  readonly proven?: (() => true | Promise<boolean>) | undefined;
}

/** The same services; each request and each connection asks the gate first. */
export function gatedServices<Services extends { readonly http: EgressClient; readonly sockets: EgressDialer }>(
  services: Services,
  gate: CallGate | null,
  call: GatedCall,
): Pick<Services, 'http' | 'sockets'> {
  const { http, sockets } = services;
  if (!gate) return { http, sockets };
  let hasSent = false;
  const pass = async (destination: string): Promise<void> => {
    const { clock, proven, ...ask } = call;
    // what was sent already would be sent again
    const entered = gate.enter({ ...ask, destination, mayPause: !hasSent });
    if (entered instanceof Promise) {
      const resume = clock.stop();
      try {
        const pause = await entered;
        if (pause) throw new PausedCall(pause);
        if (proven && !(await proven())) throwPlayLost();
      } catch (error) {
        if (call.signal.aborted) throwPlayLost();
        throw error;
      } finally {
        resume();
      }
    } else if (entered) throw new PausedCall(entered);
    hasSent = true;
  };
  return {
    http: {
      close: () => http.close(),
      request: async (request) => {
        const destination = destinationOf(request.url);
        if (destination !== null) await pass(destination);
        return http.request(request);
      },
    },
    sockets: {
      ...(sockets.trusted && { trusted: sockets.trusted }),
      dial: async (target) => {
        await pass(`${hostOf(target.host.toLowerCase())}:${target.port}`);
        return sockets.dial(target);
      },
    },
  };
}

/** `host:port`; null when it is not an address of HTTP, which the client refuses. */
export function destinationOf(url: string): string | null {
  const target = URL.parse(url);
  if (!target || (target.protocol !== 'http:' && target.protocol !== 'https:')) return null;
  return `${hostOf(target.hostname)}:${target.port || (target.protocol === 'https:' ? '443' : '80')}`;
}

/** The same host with and without the dot at its end. */
function hostOf(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** The wait of a layer whose call is made later. */
export function waitFor({ pause }: PausedCall, position: number, ref: string, now: Date): LayerWait {
  const { kind, waitMs, destination } = pause;
  const until = waitMs === null ? null : new Date(now.getTime() + waitMs);
  return { position, ref, kind, since: now, until, destination };
}
