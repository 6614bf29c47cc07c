import { setTimeout as sleep } from 'node:timers/promises';
import type { HandOut } from '@weft/queue';
import { PlayRun } from './play-run.js';
import type { PlayRunDeps } from './play-run-deps.js';

export interface PlayExecutorOptions {
  /** Names this process; new at each start. */
  readonly bootId: string;
  readonly deps: Omit<PlayRunDeps, 'stopping' | 'pause'>;
  /** A job ended, whatever became of its play; those that come again have not. */
  readonly onEnded: (handOut: HandOut) => void;
}

const PAUSE_MS = 250;
/** For hand-backs when the grace is over; what MongoDB does not answer by then is reaped. */
const LAST_WRITES_MS = 2_000;

/** All plays that this process executes now. */
export class PlayExecutor {
  private readonly runs = new Map<PlayRun, Promise<unknown>>();
  private readonly deps: PlayRunDeps;
  private handOuts = 0;
  private stopping = false;

  constructor(private readonly options: PlayExecutorOptions) {
    this.deps = {
      ...options.deps,
      stopping: () => this.stopping,
      pause: (ms = PAUSE_MS) => sleep(ms),
    };
  }

  get running(): number {
    return this.runs.size;
  }

  /** Resolves with the milliseconds after which the job is to be handed out again; null: it is done. */
  execute(handOut: HandOut): Promise<number | null> {
    this.handOuts += 1;
    const run = new PlayRun(handOut, `${this.options.bootId}:${this.handOuts}`, this.deps);
    const done = run
      .run()
      .finally(() => {
        this.runs.delete(run);
        if (run.turn.againInMs === null) this.options.onEnded(handOut);
      })
      .then(() => run.turn.againInMs);
    this.runs.set(run, done);
    return done;
  }

  /** Somebody changed this play: whoever executes it here reads it again now. */
  look(playId: string): void {
    for (const run of this.runs.keys()) if (run.owned.key.playId === playId) run.look();
  }

  /**
   * Starts no more effects; runs end or hand back at their next boundary, and at the latest after `graceMs`. Those that begin
   * later hand back at once: a job may have been on its way when the process stopped taking, also the one of a hand-back.
   *
   * @returns whether all have ended
   */
  async stop(graceMs: number): Promise<boolean> {
    this.stopping = true;
    for (const run of this.runs.keys()) run.nudge();
    if (await this.emptyWithin(graceMs)) return true;
    for (const run of this.runs.keys()) run.giveUp().catch(() => undefined); // its lease expires
    return this.emptyWithin(LAST_WRITES_MS);
  }

  private async emptyWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (this.runs.size > 0 && performance.now() < deadline) {
      const timer = new AbortController();
      const tooLate = sleep(deadline - performance.now(), undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(this.runs.values()), tooLate]);
      timer.abort();
    }
    return this.runs.size === 0;
  }
}
