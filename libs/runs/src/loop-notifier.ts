import { isFinal } from '@weft/contracts';
import { CoalescingRunner } from '@weft/concurrency';
import { SystemScope, type LoopChildrenRepository, type LoopKey, type MongoPlayStore } from '@weft/persistence';
import type { PlayCommands } from './play-commands.js';

const ALL = new SystemScope('loops of all companies are notified of the ends of plays that their items have started');

export interface LoopNotifierDeps {
  readonly store: Pick<MongoPlayStore, 'find'>;
  readonly loops: Pick<LoopChildrenRepository, 'parentOf' | 'countEnds' | 'forget'>;
  readonly commands: Pick<PlayCommands, 'apply'>;
  /** Called when a notification failed that nobody waits for. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Sets a loop going when enough of the plays have ended that its items have started: one write for many ends. The ended plays stay
 * marked until the loop has stored their ends, so any process may look at any time, and none needs to know of another.
 */
export class LoopNotifier {
  /** By play and position: ends that come together are counted together. */
  private readonly passes = new CoalescingRunner<string, LoopKey>();

  constructor(private readonly deps: LoopNotifierDeps) {}

  /** Without waiting for it; should it fail, the scheduler does it. */
  notifySoon(loop: LoopKey): void {
    this.notify(loop).catch(this.deps.onFault);
  }

  notify(loop: LoopKey): Promise<void> {
    return this.passes.run(`${loop.playId}.${loop.position}`, loop, (next) => this.look(next));
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
    if ((await loops.countEnds(ALL, loop, wakeAfter)) < wakeAfter) return;
    await commands.apply({
      read: () => store.find({ companyId, flowId, playId }),
      order: (play) => {
        // another process was faster, and the loop waits for others now
        const isSame = play?.waits?.[position]?.since.getTime() === wait.since.getTime();
        const isWaiting = play?.waits?.[position]?.children?.upTo === wait.children?.upTo;
        return play && isSame && isWaiting ? { play, command: { kind: 'retryNow', position } } : null;
      },
    });
  }
}
