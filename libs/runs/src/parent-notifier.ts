import { SystemScope, type ChildPlaysRepository, type MongoPlayStore, type EndedChild } from '@weft/store';
import type { LoopNotifier } from './loop-notifier.js';
import type { PlayCommands } from './play-commands.js';

const ALL = new SystemScope('parents of all companies are notified of the ends of their child plays');

export interface ParentNotifierDeps {
  readonly store: Pick<MongoPlayStore, 'find'>;
  readonly children: ChildPlaysRepository;
  readonly commands: PlayCommands;
  readonly loops: Pick<LoopNotifier, 'notifySoon'>;
  /** Called when a notification failed that nobody waits for. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Notifies a play that waits for a child play that the child has ended. Any process may do it, any number of times: the parent
 * accepts each end once, and the child stays marked until its parent was notified.
 */
export class ParentNotifier {
  constructor(private readonly deps: ParentNotifierDeps) {}

  /** @returns false when the parent must be notified again later */
  async notify(child: EndedChild): Promise<boolean> {
    if (!(await this.resumeParent(child))) return false;
    await this.deps.children.markParentNotified(ALL, child);
    return true;
  }

  /** The same without waiting for it; should it fail, the scheduler does it. */
  notifySoon(child: EndedChild): void {
    const { company_id: companyId, parentPlayId: playId, parent } = child;
    if (parent?.loop !== undefined) {
      if (playId) this.deps.loops.notifySoon({ companyId, playId, flowId: parent.flowId, position: parent.loop });
      return;
    }
    this.notify(child).catch(this.deps.onFault);
  }

  /** False when every attempt lost against another write of the parent. */
  private async resumeParent({ _id, company_id, state, parentPlayId, parent }: EndedChild): Promise<boolean> {
    const { store, commands } = this.deps;
    if (parentPlayId === undefined || parent?.layer === undefined) return true;
    const key = { playId: parentPlayId, companyId: company_id, flowId: parent.flowId };
    const command = { kind: 'resume', position: parent.layer, payload: { kind: 'play', playId: _id, state } } as const;
    const applied = await commands.apply({
      read: () => store.find(key),
      order: (play) => play && { play, command },
    });
    // unchanged, refused: the parent is gone, has ended or was notified before
    return applied.kind !== 'contended';
  }
}
