/** Test only. What happens in one run of the simulated world: plays, processes, and how often each fault and command may strike. */
import type { RetryOptions } from '@weft/shapes';
import type { LayerPlan } from '../src/layer-plan.js';

/**
 * One letter for each layer: `e` effect, `c` effect with `onError: continue`, `o` effect with `onInterrupted: fail`,
 * `p` pure, `w` waits for an answer, `t` the same with a timeout, `d` delay, `r` effect that is tried three times, `l` the
 * same with pauses that give the slot away, `q` both `o` and `r`, `n` effect whose `when` is false, `s` starts
 * a play and waits for its end, `a` works in steps, of which two ask a person, `f` filter that does not
 * pass, `b` branch that rules the last layer out. A capital runs in the stage of the layer before it.
 */
export interface PlayScript {
  readonly layers: string;
  /** Plays with one key compete for it. */
  readonly key?: string;
  /** Accepted with a start time in the future. */
  readonly delayed?: boolean;
  /** Out of time after this many milliseconds. */
  readonly timeoutMs?: number;
  /** Begins this many milliseconds after its acceptance at the latest, or not at all. */
  readonly notAfterMs?: number;
  /** It needs the turn of this lane, which stops at it if it fails. */
  readonly lane?: string;
  /** It needs one of the turns of its flow. */
  readonly limited?: boolean;
  /** Its first effect kills the process that calls it. */
  readonly poison?: boolean;
}

export const FAULTS = [
  'crash',
  'freeze',
  'cut',
  'lostLock',
  'wipe',
  /** The company gets another label of workers: its jobs stay in the queue of the former label, where its workers still take them. */
  'relabel',
  'ringLost',
  'stop',
  'layerFails',
  'answerLost',
  /** A worker's commands go to a new primary, which shows less than was acknowledged until a majority has what it wrote itself. */
  'failover',
  'clockAhead',
  'clockBack',
  'noRoom',
  /** No fault: a loop stores what it has done so far. */
  'keeps',
] as const;
export type Fault = (typeof FAULTS)[number];
export const COMMANDS = ['hold', 'release', 'cancel', 'resume', 'retryNow'] as const;
export type CommandName = (typeof COMMANDS)[number];

export interface Scenario {
  readonly plays: readonly PlayScript[];
  readonly workers: number;
  readonly slots: number;
  readonly reconcilers: number;
  /** How many plays with `limited` may have a turn; default: one. */
  readonly limit?: number;
  readonly budget: Readonly<Partial<Record<Fault | CommandName, number>>>;
}

const SHORT: RetryOptions = { attempts: 3, backoff: 'fixed', delayMs: 800, maxDelayMs: 800 };
const LONG: RetryOptions = { attempts: 3, backoff: 'exponential', delayMs: 6_000, maxDelayMs: 60_000 };
const RETRIES: Readonly<Record<string, RetryOptions>> = { r: SHORT, q: SHORT, l: LONG };

export function planOf(script: PlayScript): LayerPlan[] {
  let stage = 0;
  return [...script.layers].map((letter, i) => {
    const what = letter.toLowerCase();
    if (what === letter) stage = i;
    return {
      ref: `${letter}${i}`,
      name: `${letter} ${i}`,
      kind: 'pfb'.includes(what) ? 'pure' : 'wtd'.includes(what) ? 'park' : what === 's' ? 'start' : 'effect',
      once: what === 'o' || what === 'q',
      onError: what === 'c' ? 'continue' : 'fail',
      stage,
      retry: RETRIES[what] ?? null,
      conditional: what === 'n',
    };
  });
}

/** What a layer is, whatever stage it runs in. */
export function letterAt(script: PlayScript | undefined, position: number): string {
  return script?.layers[position]?.toLowerCase() ?? '';
}
