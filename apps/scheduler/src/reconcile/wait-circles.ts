import { waitsForItselfWrite, type QueueKey } from '@weft/engine';
import {
  SystemScope,
  type FlowKey,
  type LaneKey,
  type LaneRepository,
  type OpenPlaysRepository,
  type Reached,
  type WaitCirclesRepository,
} from '@weft/persistence';
import { QueueWalk } from '../gate/queue-walk.js';
import type { HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';

export interface WaitCirclesDeps {
  readonly plays: Pick<OpenPlaysRepository, 'nextWithQueue'>;
  readonly lanes: Pick<LaneRepository, 'nextWithQueue'>;
  readonly circles: Pick<WaitCirclesRepository, 'stuckChildren'>;
  readonly writes: Pick<HealingWrites, 'write'>;
  /** How many plays a gate admits at once, whatever its flow's limit; infinite: not known. */
  readonly mostAdmitted: () => number;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly monotonicMs: () => number;
  /** A queue could not be looked at. The others are not affected. */
  readonly onFault: (error: unknown) => void;
}

const ALL = new SystemScope('plays of each company that wait for each other');
/** Of each kind. Circles are rare and stable, so that finding one may take some passes. */
const QUEUES = { most: 300, atOnce: 4 } as const;
/** From the start of the search. Later MongoDB refuses the write: the circle may have been broken at another play. */
const WRITE_WITHIN_MS = 5_000;

/**
 * Breaks circles in which plays wait for each other (docs/lanes.md "Plays that start plays"): it ends plays that have not begun. It
 * looks from each queue of a lane or of a limited flow, some of each company in turn.
 */
export class WaitCircles implements HealingLoop {
  readonly name = 'plays that wait for each other';
  readonly everyMs = 10_000;
  private readonly lanes: QueueWalk<LaneKey>;
  private readonly flows: QueueWalk<FlowKey>;
  /** Queues by which a search of this pass has come: a chain of queues is followed once, and not from each of them. */
  private readonly goOn = new Set<string>();

  constructor(private readonly deps: WaitCirclesDeps) {
    const { plays, lanes, onFault } = deps;
    const look = (queue: LaneKey | FlowKey) => this.look(queue);
    this.lanes = new QueueWalk((reached: Reached<LaneKey>) => lanes.nextWithQueue(reached), look, onFault, QUEUES);
    this.flows = new QueueWalk((reached: Reached<FlowKey>) => plays.nextWithQueue(reached), look, onFault, QUEUES);
  }

  async pass(): Promise<void> {
    this.goOn.clear();
    // one after the other: a circle may have queues of both kinds, and is to be broken once
    await this.lanes.pass();
    await this.flows.pass();
  }

  private async look(queue: LaneKey | FlowKey): Promise<void> {
    const { circles, writes, mostAdmitted, serverNow, monotonicMs } = this.deps;
    const readAtMs = monotonicMs();
    const until = new Date(serverNow() + WRITE_WITHIN_MS);
    const { companyId } = queue;
    const key = 'lane' in queue ? { lane: queue.lane } : { flowId: queue.flowId };
    const nameOf = (one: QueueKey): string => JSON.stringify([companyId, one]);
    if (this.goOn.has(nameOf(key))) return;
    const goesOn = (one: QueueKey) => void this.goOn.add(nameOf(one));
    const found = await circles.stuckChildren(ALL, companyId, key, mostAdmitted(), goesOn);
    if (found.length === 0) return;
    const tookMs = monotonicMs() - readAtMs;
    if (tookMs > WRITE_WITHIN_MS)
      throw new Error(`plays wait for each other, and to find them took ${Math.round(tookMs)} ms: too long`);
    const at = new Date(serverNow());
    const changes = found.map((child) => ({ play: child.play, write: waitsForItselfWrite(child, at, until) }));
    await writes.write('waits_for_itself', changes, readAtMs);
  }
}
