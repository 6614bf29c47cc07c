import { waitsForItselfWrite } from '@weft/engine';
import {
  SystemScope,
  type FlowKey,
  type LaneKey,
  type LaneRepository,
  type OpenPlaysRepository,
  type WaitCirclesRepository,
} from '@weft/persistence';
import { QueueTurns } from '../gate/queue-turns.js';
import { inParallel } from '../in-parallel.js';
import type { HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';

export interface WaitCirclesDeps {
  readonly plays: Pick<OpenPlaysRepository, 'nextWithQueue'>;
  readonly lanes: Pick<LaneRepository, 'nextWithQueue'>;
  readonly circles: Pick<WaitCirclesRepository, 'stuckChildren'>;
  readonly writes: Pick<HealingWrites, 'write'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** A queue could not be looked at. The others are not affected. */
  readonly onFault: (error: unknown) => void;
}

const ALL = new SystemScope('plays of each company that wait for each other');
/** In a pass, of each kind. Circles are rare and stable, so that finding one may take some passes. */
const QUEUES_PER_PASS = 300;
/** Queues that are looked at in parallel. */
const AT_ONCE = 4;
/** No name of a lane and no id comes after it. */
const LAST = '\u{10ffff}';

/**
 * Breaks circles in which plays wait for each other (docs/lanes.md "Plays that start plays"): it ends plays that have not begun. It
 * looks from each queue of a lane or of a limited flow, some of each company in turn.
 */
export class WaitCircles implements HealingLoop {
  readonly name = 'plays that wait for each other';
  readonly everyMs = 10_000;
  private readonly lanes: QueueTurns<LaneKey>;
  private readonly flows: QueueTurns<FlowKey>;

  constructor(private readonly deps: WaitCirclesDeps) {
    const { plays, lanes } = deps;
    this.lanes = new QueueTurns(
      (after) => lanes.nextWithQueue(after),
      (companyId) => ({ companyId, lane: LAST }),
    );
    this.flows = new QueueTurns(
      (after) => plays.nextWithQueue(after),
      (companyId) => ({ companyId, flowId: LAST }),
    );
  }

  async pass(): Promise<void> {
    const look = (queue: LaneKey | FlowKey) => this.look(queue).catch((error: unknown) => this.deps.onFault(error));
    // one after the other: a circle may have queues of both kinds, and is to be broken once
    await inParallel(await this.lanes.take(QUEUES_PER_PASS), AT_ONCE, look);
    await inParallel(await this.flows.take(QUEUES_PER_PASS), AT_ONCE, look);
  }

  private async look(queue: LaneKey | FlowKey): Promise<void> {
    const { circles, writes, serverNow } = this.deps;
    const readAtMs = performance.now();
    const key = 'lane' in queue ? { lane: queue.lane } : { flowId: queue.flowId };
    const found = await circles.stuckChildren(ALL, queue.companyId, key);
    const at = new Date(serverNow());
    const changes = found.map((child) => ({ play: child.play, write: waitsForItselfWrite(child, at) }));
    if (changes.length > 0) await writes.write('waits_for_itself', changes, readAtMs);
  }
}
