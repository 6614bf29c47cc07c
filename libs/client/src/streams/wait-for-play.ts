import type { CallOptions } from '../http/connection.js';
import { pause } from '../http/pause.js';
import { isWeftError, WeftError } from '../http/weft-error.js';
import type { Play, PlayLayer, PlayState } from '../resources/schemas.js';

/** How a play has ended. */
export interface PlayOutcome {
  readonly playId: string;
  readonly state: Extract<PlayState, 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED'>;
  /** Of the last layer that ran; over 256 KB `{ $ref, bytes }`. */
  readonly out: unknown;
  readonly error: Play['error'];
}

/** The time to wait is over; the play goes on. */
export class WaitTimeout extends WeftError<'timeout'> {
  override readonly name = 'WaitTimeout';

  constructor(
    readonly playId: string,
    /** The state that was seen last. */
    readonly state: string,
  ) {
    super('timeout', `The play ${playId} has not ended yet (${state}); it goes on.`);
  }
}

/** What waiting asks. */
export interface PlayReader {
  get(id: string, options: CallOptions): Promise<Play>;
  layers(id: string, options: CallOptions): Promise<PlayLayer[]>;
  /** Resolves when the play may have ended; it need not notice. */
  ended(id: string, signal: AbortSignal): Promise<void>;
}

export interface WaitOptions extends CallOptions {
  /** Left out: until it ends. */
  readonly timeoutMs?: number;
}

const LOOK_MS = { first: 500, most: 15_000 };

/** The live stream says when to look; where no stream comes through, it is looked from time to time. */
export async function waitForPlay(
  plays: PlayReader,
  playId: string,
  { timeoutMs, ...options }: WaitOptions,
): Promise<PlayOutcome> {
  const done = new AbortController();
  const endsAt = timeoutMs === undefined ? Infinity : performance.now() + timeoutMs;
  const signal = options.signal ? AbortSignal.any([options.signal, done.signal]) : done.signal;
  const never = new Promise<void>(() => {});
  let hint = plays.ended(playId, signal).catch(() => never);
  try {
    for (let lookMs = LOOK_MS.first; ; lookMs = Math.min(lookMs * 2, LOOK_MS.most)) {
      const outcome = await look(plays, playId, options);
      if (typeof outcome !== 'string') return outcome;
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) throw new WaitTimeout(playId, outcome);
      const wait = new AbortController();
      const wakes = hint.then(() => (hint = never));
      await Promise.race([wakes, pause(Math.min(lookMs, leftMs), AbortSignal.any([signal, wait.signal]))]).finally(() =>
        wait.abort(),
      );
    }
  } finally {
    done.abort();
  }
}

export function isFinal(state: string): state is PlayOutcome['state'] {
  return ['DONE', 'FAIL', 'SKIP', 'FILTERED'].includes(state);
}

/** How the play has ended, else the state that it is in. A server that cannot be reached is one that says nothing new. */
async function look(plays: PlayReader, playId: string, options: CallOptions): Promise<PlayOutcome | string> {
  try {
    const play = await plays.get(playId, options);
    return isFinal(play.state) ? await outcomeOf(plays, play, options) : play.state;
  } catch (error) {
    if (isWeftError(error) && error.isRetryable) return error.code;
    throw error;
  }
}

async function outcomeOf(plays: PlayReader, play: Play, options: CallOptions): Promise<PlayOutcome> {
  const layers = await plays.layers(play.id, options);
  const last = layers.findLast(({ startedAt, completedAt }) => startedAt !== null && completedAt !== null);
  return { playId: play.id, state: play.state as PlayOutcome['state'], out: last?.out ?? null, error: play.error };
}
