import { isFinal, type FinalState } from '@weft/contracts';
import { startedAtOf, type Play, type PlayWrite } from '@weft/engine';
import type { EndedChild } from '@weft/persistence';
import type { PlayNotices, PlaySignals } from '@weft/realtime-bus';
import type { PlayStats } from './play-stats.js';

/** A play as it was before a write, as far as its reader knows it. */
export type ChangedPlay = Pick<Play, '_id' | 'company_id' | 'flowId' | 'seq'> &
  Partial<Pick<Play, 'log' | 'completedAt' | 'parent' | 'parentPlayId' | 'parentPending' | 'loopPending'>>;

export interface PlayChangesDeps {
  readonly notices: Pick<PlayNotices, 'announce'>;
  readonly signals: Pick<PlaySignals, 'publish'>;
  readonly figures: Pick<PlayStats, 'ended'>;
  /** Starts to notify the parent of a play that has ended. The scheduler repeats it until the parent is notified. */
  readonly notifyParent: (child: EndedChild) => void;
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
    this.announce(play, write);
    this.deps.signals.publish(play._id);
  }

  /** The end of a play is counted, and its parent notified. @param startedAt null: it never started */
  ended(play: ChangedPlay, state: FinalState, startedAt: Date | null, isCancelled = false): void {
    this.deps.figures.ended(play, state, startedAt, isCancelled);
    if (!play.parentPending && !play.loopPending) return;
    const { _id, company_id, flowId, parent, parentPlayId } = play;
    this.deps.notifyParent({ _id, company_id, flowId, state, parent, parentPlayId });
  }

  /** The same for a play that no worker executes: only the gateways are notified. */
  announce(play: Pick<Play, '_id' | 'company_id' | 'seq'>, write: PlayWrite): void {
    if (write.log.length > 0) this.deps.notices.announce(play.company_id, play._id, write.set.seq ?? play.seq);
  }
}

function startOf({ log, completedAt }: ChangedPlay): Date | null {
  return log === undefined ? null : startedAtOf({ log, completedAt });
}
