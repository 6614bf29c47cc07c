import { isFinal } from '@weft/contracts';
import { isSameWait } from '@weft/engine';
import { CoalescingRunner } from '@weft/concurrency';
import {
  SystemScope,
  type LoopChildrenRepository,
  type LoopKey,
  type LoopParent,
  type MongoPlayStore,
} from '@weft/store';
import { LRUCache } from 'lru-cache';
import type { PlayCommands } from './play-commands.js';

const ALL = new SystemScope('loops of all companies are notified of the ends of plays that their items have started');

export interface LoopNotifierDeps {
  readonly store: Pick<MongoPlayStore, 'find'>;
  readonly loops: Pick<LoopChildrenRepository, 'parentOf' | 'countEnds' | 'countUncollected' | 'forget'>;
  readonly commands: Pick<PlayCommands, 'apply'>;
  /** Called when a notification failed that nobody waits for. */
  readonly onFault: (error: unknown) => void;
}

/** Loops that are remembered as able to go on. */
const MOST_LOOPS = 10_000;

/**
 * Sets a loop going when enough of the plays have ended that its items have started: one write for many ends. The ended plays stay
 * marked until the loop has stored their ends, so any process may look at any time, and none needs to know of another.
 */
export class LoopNotifier {
  /** By play and position: ends that come together are counted together. */
  private readonly passes = new CoalescingRunner<string, LoopKey>();
  /** By play and position: the epoch in which all ends that the loop waits for can come. While it is parked, that stays so. */
  private readonly reachable = new LRUCache<string, number>({ max: MOST_LOOPS });

  constructor(private readonly deps: LoopNotifierDeps) {}

  /** Without waiting for it; should it fail, the scheduler does it. */
  notifySoon(loop: LoopKey): void {
    this.notify(loop).catch(this.deps.onFault);
  }

  notify(loop: LoopKey): Promise<void> {
    return this.passes.run(nameOf(loop), loop, (next) => this.look(next));
  }

  private async look(loop: LoopKey): Promise<void> {
    const { loops, store, commands } = this.deps;
    const { companyId, flowId, playId, position } = loop;
    const parent = await loops.parentOf(ALL, loop);
    const isOver = !parent || isFinal(parent.state) || parent.layers.some((result) => result.position === position);
    if (isOver) return loops.forget(ALL, loop);
    const wait = parent.waits?.[position];
    // a worker has the play: it sees what has ended, or waits for it, and then it is looked at again
    if (wait?.kind !== 'children' || wait.until !== null || parent.state === 'RUN') return;
    const { wakeAfter = 1 } = wait.children ?? {};
    const hasEnough = (await loops.countEnds(ALL, loop, wakeAfter)) >= wakeAfter;
    if (!hasEnough && (await this.isReachable(loop, parent, wakeAfter))) return;
    await commands.apply({
      read: () => store.find({ companyId, flowId, playId }),
      order: (play) => {
        // another process was faster, and the loop waits for others now
        const isSame = play?.waits?.[position] !== undefined && isSameWait(play.waits[position], wait);
        return play && isSame ? { play, command: { kind: 'retryNow', position } } : null;
      },
    });
  }

  /** False: the loop's worker died after it had stored ends, and before it stored its new wait, so too few plays are left. */
  private async isReachable(loop: LoopKey, { epoch }: LoopParent, wakeAfter: number): Promise<boolean> {
    if (this.reachable.get(nameOf(loop)) === epoch) return true;
    if ((await this.deps.loops.countUncollected(ALL, loop, wakeAfter)) < wakeAfter) return false;
    this.reachable.set(nameOf(loop), epoch);
    return true;
  }
}

function nameOf({ playId, position }: LoopKey): string {
  return `${playId}.${position}`;
}
