import { Inject, Injectable } from '@nestjs/common';
import { Roster, BytesSemaphore } from '@weft/concurrency';
import { SETTINGS, type Settings } from '@weft/config';
import { PROTOCOL_TIMES } from '@weft/engine';
import { CompanyLimits } from '@weft/runs';
import { Mongo, MongoPlayStore } from '@weft/store';
import type { HandOut } from '@weft/queue';
import { setTimeout as sleep } from 'node:timers/promises';
import { LAYERS } from '../layers/layer-runner.provider.js';
import { LeaseKeeper } from '../lease/lease-keeper.js';
import { WorkerState } from '../worker-state.js';
import { PlayEvents } from './play-events.js';
import { PlaySource } from './play-source.js';
import { LARGE_PLAYS_BYTES } from './play-room.js';
import { SuspectLane } from './suspect-lane.js';
import { PlayRun } from './play-run.js';
import type { PlayRunDeps } from './play-run-deps.js';

const PAUSE_MS = 250;
/** For hand-backs after the grace. Plays whose write is not answered by then are reaped. */
const LAST_WRITES_MS = 2_000;

/** Executes plays: all those that this process has now. */
@Injectable()
export class PlayExecutor {
  private readonly runs = new Roster<{ readonly run: PlayRun; readonly done: Promise<unknown> }>();
  private readonly deps: PlayRunDeps;
  private handOuts = 0;

  constructor(
    private readonly worker: WorkerState,
    mongo: Mongo,
    store: MongoPlayStore,
    source: PlaySource,
    @Inject(LAYERS) layers: PlayRunDeps['layers'],
    leases: LeaseKeeper,
    suspects: SuspectLane,
    events: PlayEvents,
    limits: CompanyLimits,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const isAnother = (label: string | null): boolean => label !== settings.worker.label;
    this.deps = {
      ...{ store, source, layers, leases, suspects, events },
      memory: new BytesSemaphore(LARGE_PLAYS_BYTES),
      times: PROTOCOL_TIMES,
      serverNow: () => mongo.serverNow(),
      isStopping: () => worker.isStopping,
      isOfOthers: (companyId) => {
        const label = limits.workerLabel(companyId);
        return label instanceof Promise ? label.then(isAnother, () => true) : isAnother(label);
      },
      pause: (ms = PAUSE_MS) => sleep(ms),
    };
  }

  get running(): number {
    return this.runs.size;
  }

  /** Resolves with the milliseconds after which the job is to be handed out again; null: the job is done. */
  execute(handOut: HandOut): Promise<number | null> {
    this.handOuts += 1;
    const run = new PlayRun(handOut, `${this.worker.bootId}:${this.handOuts}`, this.deps);
    const done = run.run();
    const remove = this.runs.add({ run, done });
    return done.finally(remove).then(() => run.turn.againInMs);
  }

  /** Another process changed this play: its execution here reads it again now. */
  look(playId: string): void {
    for (const { run } of this.runs.members()) if (run.owned.key.playId === playId) run.look();
  }

  /**
   * Starts no more effects. Runs end or are handed back at their next boundary, and at the latest after `graceMs`. Runs that
   * begin later are handed back at once: a job may have been on its way when the process stopped taking jobs, also the job
   * of a hand-back.
   *
   * @returns whether all runs have ended
   */
  async stop(graceMs: number): Promise<boolean> {
    this.worker.isStopping = true;
    for (const { run } of this.runs.members()) run.nudge();
    if (await this.emptyWithin(graceMs)) return true;
    for (const { run } of this.runs.members()) run.giveUp().catch(() => undefined); // its lease expires
    return this.emptyWithin(LAST_WRITES_MS);
  }

  private async emptyWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (this.runs.size > 0 && performance.now() < deadline) {
      const timer = new AbortController();
      const tooLate = sleep(deadline - performance.now(), undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(this.runs.members().map(({ done }) => done)), tooLate]);
      timer.abort();
    }
    return this.runs.size === 0;
  }
}
