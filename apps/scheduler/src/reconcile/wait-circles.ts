import { waitsForItselfWrite } from '@weft/engine';
import {
  SystemScope,
  type FlowKey,
  type LaneKey,
  type LaneRepository,
  type OpenPlaysRepository,
  type WaitCirclesRepository,
} from '@weft/persistence';
import { QueueWalk } from '../gate/queue-walk.js';
import type { HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';

export interface WaitCirclesDeps {
  readonly plays: Pick<OpenPlaysRepository, 'nextWithQueue'>;
  readonly lanes: Pick<LaneRepository, 'nextWithQueue'>;
  readonly circles: Pick<WaitCirclesRepository, 'stuckChild'>;
  readonly writes: Pick<HealingWrites, 'write'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** A queue could not be looked at. The others are not affected. */
  readonly onFault: (error: unknown) => void;
}

const ALL = new SystemScope('plays of each company that wait for each other');
/** Circles are rare and stable, so that finding one may take some passes. */
const QUEUES_PER_PASS = 200;

/**
 * Ends one play of each circle in which plays wait for each other (docs/lanes.md "Plays that start plays"): the youngest one that
 * has not begun. It looks from each queue of a lane or of a limited flow, a limited number of them in a pass.
 */
export class WaitCircles implements HealingLoop {
  readonly name = 'plays that wait for each other';
  readonly everyMs = 10_000;
  private readonly walks: readonly { readonly pass: () => Promise<number> }[];

  constructor(private readonly deps: WaitCirclesDeps) {
    const { plays, lanes, onFault } = deps;
    const look = (queue: LaneKey | FlowKey) => this.look(queue);
    const laneWalk = new QueueWalk<LaneKey>((after) => lanes.nextWithQueue(after), look, onFault, QUEUES_PER_PASS);
    const flowWalk = new QueueWalk<FlowKey>((after) => plays.nextWithQueue(after), look, onFault, QUEUES_PER_PASS);
    this.walks = [{ pass: () => laneWalk.pass() }, { pass: () => flowWalk.pass() }];
  }

  async pass(): Promise<void> {
    // one after the other: a circle may have queues of both kinds, and is to lose one play
    for (const walk of this.walks) await walk.pass();
  }

  private async look(queue: LaneKey | FlowKey): Promise<void> {
    const { circles, writes, serverNow } = this.deps;
    const readAtMs = performance.now();
    const key = 'lane' in queue ? { lane: queue.lane } : { flowId: queue.flowId };
    const found = await circles.stuckChild(ALL, queue.companyId, key);
    if (!found) return;
    const write = waitsForItselfWrite(found, new Date(serverNow()));
    await writes.write('waits_for_itself', [{ play: found.play, write }], readAtMs);
  }
}
