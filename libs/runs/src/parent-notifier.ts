import { isFinal } from '@weft/contracts';
import { CoalescingRunner } from '@weft/concurrency';
import { SystemScope, type ChildPlaysRepository, type StartingLayer, type StartingPlay } from '@weft/store';
import type { PlaySignals } from '@weft/realtime-bus';
import type { PlayCommands } from './play-commands.js';

const ALL = new SystemScope('layers of all companies are set going that wait for the ends of plays');

export interface ParentNotifierDeps {
  readonly children: Pick<ChildPlaysRepository, 'startingPlay' | 'countEnds' | 'forgetEnds'>;
  readonly commands: Pick<PlayCommands, 'apply'>;
  readonly signals: Pick<PlaySignals, 'publish'>;
  /** Called when a look failed that nobody waits for. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Sets a layer going when enough of the plays have ended that it has started: one write for many ends. It looks after each end, and
 * after each write by which a layer waits. Ended plays are marked until their layer goes on, those of a loop until it has stored their
 * ends; so any process may look at any time, and none needs to know of another.
 */
export class ParentNotifier {
  /** By play and position: ends that come together are counted together. */
  private readonly passes = new CoalescingRunner<string, StartingLayer>();

  constructor(private readonly deps: ParentNotifierDeps) {}

  /** Without waiting for it; should it fail, the scheduler does it. */
  notifySoon(layer: StartingLayer): void {
    const look = async (next: StartingLayer) => void (await this.look(next));
    this.passes.run(`${layer.playId}.${layer.position}`, layer, look).catch(this.deps.onFault);
  }

  /** For schedulers. @returns whether it has set the layer going */
  async notify(layer: StartingLayer): Promise<boolean> {
    const { isSetGoing, goesOn } = await this.look(layer);
    // its worker may not have heard of it: it runs another layer of the stage
    if (goesOn) this.deps.signals.publish(layer.playId);
    return isSetGoing;
  }

  private async look(layer: StartingLayer): Promise<{ readonly isSetGoing: boolean; readonly goesOn: boolean }> {
    const { children, commands } = this.deps;
    const { position } = layer;
    const seen = { isOver: false, goesOn: false };
    const applied = await commands.apply({
      read: () => children.startingPlay(ALL, layer),
      order: async (play) => {
        seen.isOver = isOver(play, layer);
        if (!play || seen.isOver) return null;
        const wait = play.waits?.[position];
        if (wait?.kind !== 'children') return null;
        seen.goesOn = wait.until !== null && play.state === 'RUN';
        const { wakeAfter = 1, playId } = wait.children ?? {};
        const isReached = wait.until === null && (await children.countEnds(ALL, layer, wakeAfter, playId)) >= wakeAfter;
        return isReached ? { play, command: { kind: 'playsEnded', position } } : null;
      },
    });
    const isSetGoing = applied.kind === 'written';
    // a loop, or a next attempt, may wait for others by now, which are marked likewise
    const only = isSetGoing ? applied.play.waits?.[position]?.children?.playId : undefined;
    if (seen.isOver || only !== undefined) await children.forgetEnds(ALL, layer, only);
    return { isSetGoing, goesOn: seen.goesOn };
  }
}

function isOver(play: StartingPlay | null, { position }: StartingLayer): boolean {
  return !play || isFinal(play.state) || play.layers.some((result) => result.position === position);
}
