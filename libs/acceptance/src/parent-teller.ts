import { COMMAND_ATTEMPTS, decideCommand, wantsRoom } from '@weft/engine';
import type { ChildPlaysRepository, Mongo, MongoPlayStore, SystemScope, UntoldPlay } from '@weft/persistence';
import type { Doorbell, Places } from '@weft/queue';
import type { PlayNotices, PlaySignals } from '@weft/realtime-bus';

export interface ParentTellerParts {
  readonly mongo: Pick<Mongo, 'serverNow'>;
  readonly store: Pick<MongoPlayStore, 'find' | 'write'>;
  readonly children: ChildPlaysRepository;
  readonly scope: SystemScope;
  readonly doorbell: Pick<Doorbell, 'ring'>;
  readonly places: Pick<Places, 'take' | 'giveBack'>;
  readonly notices: Pick<PlayNotices, 'announce'>;
  readonly signals: Pick<PlaySignals, 'publish'>;
}

/**
 * Tells a play that waits for another one that this has ended, as an event would be. Any process may, any number of times: what
 * the parent has taken it does not take again, and the child is marked until it was told.
 */
export class ParentTeller {
  constructor(private readonly parts: ParentTellerParts) {}

  /** @returns false: it is told later */
  async tell(child: UntoldPlay): Promise<boolean> {
    const { children, scope } = this.parts;
    if (!(await this.answer(child))) return false;
    await children.told(scope, child);
    return true;
  }

  /** False: the parent moves too fast; it is told later. */
  private async answer({ _id, company_id: companyId, state, parentPlayId, parent }: UntoldPlay): Promise<boolean> {
    const { mongo, store, doorbell, places, notices, signals } = this.parts;
    if (parentPlayId === undefined || !parent) return true;
    const key = { playId: parentPlayId, companyId, flowId: parent.flowId };
    const command = { kind: 'resume', position: parent.layer, payload: { kind: 'play', playId: _id, state } } as const;
    for (let attempt = 0; attempt < COMMAND_ATTEMPTS; attempt += 1) {
      const play = await store.find(key);
      if (!play) return true;
      const askedAtMs = performance.now();
      const at = new Date(mongo.serverNow());
      const taken = await places.take(companyId, wantsRoom(play, command, at) ? [parentPlayId] : []);
      const decision = decideCommand(play, command, at, taken.ids.has(parentPlayId));
      // it has ended, or knows already
      if (decision.kind !== 'write') return true;
      const { write, ring } = decision;
      if (!(await store.write(key, write))) {
        places.giveBack(companyId, taken);
        continue;
      }
      notices.announce(companyId, parentPlayId, write.set.seq ?? play.seq);
      signals.publish(parentPlayId);
      if (ring) void doorbell.ring([{ ...key, epoch: write.set.epoch ?? play.epoch }], askedAtMs);
      return true;
    }
    return false;
  }
}
