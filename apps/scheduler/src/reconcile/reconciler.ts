/**
 * Heals what crashes, lost rings and a wiped Redis leave: docs/protocol.md §6 and §12. Walks MongoDB, not Redis. Any number
 * of replicas may run it in parallel, since every write is conditional on exactly what was read.
 */
import type { ProtocolTimes } from '@weft/engine';
import { sideBySide } from '@weft/process';
import type { QueueInspector, AdmissionWindow, WindowSizeOf } from '@weft/queue';
import { DeadOwners } from './dead-owners.js';
import { DuePlays } from './due-plays.js';
import { GivenUpJobs } from './given-up-jobs.js';
import type { HealingLoop } from './healing-loop.js';
import { HealingWrites, type HealingWritesDeps } from './healing-writes.js';
import { LostRings } from './lost-rings.js';
import { RedisGeneration } from './redis-generation.js';
import { SecondLooks } from './second-looks.js';
import { PlaysWithoutJobs } from './plays-without-jobs.js';
import { TimeLimits } from './time-limits.js';
import { TooLatePlays } from './too-late-plays.js';
import type { WindowKeeper } from './window-keeper.js';

export interface ReconcilerDeps extends HealingWritesDeps {
  readonly queue: QueueInspector;
  readonly windows: WindowKeeper;
  readonly window: Pick<AdmissionWindow, 'takeRoom' | 'finish'>;
  readonly windowSize: WindowSizeOf;
  readonly times: ProtocolTimes;
  /** This process stops: a pass ends after its current page, and other replicas continue. */
  readonly stopping: AbortSignal;
}

export class Reconciler {
  readonly loops: readonly HealingLoop[];
  readonly writes: HealingWrites;
  private readonly lostRings: LostRings;
  private readonly deadOwners: DeadOwners;

  constructor(deps: ReconcilerDeps) {
    const { windows } = deps;
    this.writes = new HealingWrites(deps);
    const forgetSeen = () => this.forgetSeen();
    const parts = { ...deps, writes: this.writes, withoutJobs: new PlaysWithoutJobs(), forgetSeen };
    const lostRings = new LostRings(parts);
    const deadOwners = new DeadOwners(parts);
    this.lostRings = lostRings;
    this.deadOwners = deadOwners;
    this.loops = [
      new DuePlays(parts),
      new TimeLimits(parts),
      new TooLatePlays(parts),
      deadOwners,
      new RedisGeneration(parts),
      new GivenUpJobs(parts),
      { name: 'members of windows', pass: () => windows.repairAll() },
      lostRings,
      new SecondLooks(parts),
      { name: 'windows', pass: () => windows.refillAll() },
    ];
  }

  /** One pass of each of these loops, side by side. */
  heal(...names: readonly string[]): Promise<void> {
    const loops = this.loops.filter(({ name }) => names.includes(name));
    return sideBySide(Object.fromEntries(loops.map((loop) => [loop.name, () => loop.pass()])));
  }

  /** Earlier observations are no longer valid: Redis was reconnected, and its generation does not show what it lost. */
  forgetSeen(): void {
    this.lostRings.forgetSeen();
    this.deadOwners.forgetSeen();
  }
}
