/** Test only. What happens in one run of the simulated world: plays, processes, and how often each fault and command may strike. */
import type { LayerPlan } from '../layer-plan.js';

/**
 * One letter for each layer: `e` effect, `c` effect with `onError: continue`, `o` effect with `onInterrupted: fail`,
 * `p` pure, `w` waits for an answer, `t` the same with a timeout, `d` delay.
 */
export interface PlayScript {
  readonly layers: string;
  /** Plays with one key compete for it. */
  readonly key?: string;
  /** Accepted with a start time in the future. */
  readonly delayed?: boolean;
  /** Its first effect kills the process that calls it. */
  readonly poison?: boolean;
}

export const FAULTS = [
  'crash',
  'freeze',
  'cut',
  'lostLock',
  'wipe',
  'ringLost',
  'stop',
  'layerFails',
  'answerLost',
] as const;
export type Fault = (typeof FAULTS)[number];
export const COMMANDS = ['hold', 'release', 'cancel', 'resume'] as const;
export type CommandName = (typeof COMMANDS)[number];

export interface Scenario {
  readonly plays: readonly PlayScript[];
  readonly workers: number;
  readonly slots: number;
  readonly reconcilers: number;
  readonly budget: Readonly<Partial<Record<Fault | CommandName, number>>>;
}

export function planOf(script: PlayScript): LayerPlan[] {
  return [...script.layers].map((letter, i) => ({
    ref: `${letter}${i}`,
    name: `${letter} ${i}`,
    kind: letter === 'p' ? 'pure' : 'wtd'.includes(letter) ? 'park' : 'effect',
    once: letter === 'o',
    onError: letter === 'c' ? 'continue' : 'fail',
    stage: i,
    retry: null,
    conditional: false,
  }));
}
