import { isFinal, type FinalState } from '@weft/contracts';
import { startedAtOf, type Play, type PlayKey, type PlayWrite } from '@weft/engine';
import { playKeyOf, type MongoPlayStore, type StartingLayer } from '@weft/store';
import type { PlayNotices, PlaySignals } from '@weft/realtime-bus';
import type { PlayStats } from './play-stats.js';

/** A play as it was before a write, as far as its reader knows it. */
export type ChangedPlay = Pick<Play, '_id' | 'company_id' | 'flowId' | 'seq'> &
  Partial<Pick<Play, 'log' | 'completedAt' | 'parent' | 'parentPlayId' | 'parentPending' | 'queues' | 'turns'>>;

/** The turns that a play had, and the queues in which it waited or waits. */
export type InQueues = Pick<Play, 'company_id' | 'queues' | 'turns'>;

export interface PlayChangesDeps {
  readonly store: Pick<MongoPlayStore, 'becameStored'>;
  readonly notices: Pick<PlayNotices, 'announce'>;
  readonly signals: Pick<PlaySignals, 'publish'>;
  readonly figures: Pick<PlayStats, 'ended'>;
  /** Starts to look whether the plays have ended that a layer waits for. The scheduler repeats it until the layer goes on. */
  readonly notifyParent: (layer: StartingLayer) => void;
  /** Starts to look for events that are kept for the play. The scheduler repeats it. */
  readonly eventsAwaited: (play: PlayKey) => void;
  /** Lets the queues of these turns, and these queues, go on. The scheduler finds those that did not. */
  readonly queuesGoOn: (play: InQueues) => void;
}

/** What follows a stored write, whichever component made it. Nothing here fails, and nothing waits for it. */
export class PlayChanges {
  constructor(private readonly deps: PlayChangesDeps) {}

  /**
   * Gateways show what was written, the worker that executes the play reads it again, and an end is counted and reported to
   * the parent.
   */
  written(play: ChangedPlay, write: PlayWrite): void {
    const { state, error } = write.set;
    if (state && isFinal(state)) this.ended(play, state, startOf(play), error?.code === 'cancelled');
    else this.moveQueues(play, write);
    this.announce(play, write);
    this.deps.signals.publish(play._id);
  }

  /** The answer to a write was lost: it is found out whether it is stored, in parallel with what its caller does next. */
  unanswered(play: ChangedPlay, write: PlayWrite): void {
    void this.deps.store
      .becameStored(playKeyOf(play), write)
      .then((isStored) => isStored && this.written(play, write))
      .catch(() => undefined);
  }

  /** The end of a play is counted, its parent notified, and its queues go on. @param startedAt null: it never started */
  ended(play: ChangedPlay, state: FinalState, startedAt: Date | null, isCancelled = false): void {
    this.deps.figures.ended(play, state, startedAt, isCancelled);
    if (play.turns ?? play.queues) this.deps.queuesGoOn(play);
    const { company_id: companyId, parentPending, parent, parentPlayId: playId } = play;
    if (parentPending && parent && playId !== undefined)
      this.deps.notifyParent({ companyId, flowId: parent.flowId, playId, position: parent.layer });
  }

  /** A write has left layers of a play waiting for plays. These may have ended before it, when the layers could not be set going. */
  waitsForPlays({ companyId, flowId, playId }: PlayKey, layers: readonly number[]): void {
    for (const position of layers) this.deps.notifyParent({ companyId, flowId, playId, position });
  }

  /** A write has left layers of a play waiting for events. These may have come before it. */
  waitsForEvents(play: PlayKey): void {
    this.deps.eventsAwaited(play);
  }

  /** It was delayed and is due, is held while it waits, or is released: it or another one may be the next. */
  private moveQueues({ company_id, queues: before }: ChangedPlay, { set }: PlayWrite): void {
    const queues = set.queues ?? before;
    if (queues && (set.state ?? set.queues)) this.deps.queuesGoOn({ company_id, queues });
  }

  /** The same for a play that no worker executes: only the gateways are notified. */
  announce(play: Pick<Play, '_id' | 'company_id' | 'seq'>, write: PlayWrite): void {
    if (write.log.length > 0) this.deps.notices.announce(play.company_id, play._id, write.set.seq ?? play.seq);
  }
}

function startOf({ log, completedAt }: ChangedPlay): Date | null {
  return log === undefined ? null : startedAtOf({ log, completedAt });
}
