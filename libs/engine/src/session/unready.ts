/**
 * A play that a worker cannot start, because the version of its flow is gone or unreadable for this worker. No layer runs, so
 * no worker dies: such hand-outs are counted separately from crashes. The reconciler rings again; another worker may be able to.
 */
import type { PlayError } from '@weft/contracts';
import { numberEvents } from '../play-log.js';
import { endWrite, type PlayWrite } from '../play-write.js';
import type { Play } from '../play.js';

/** `version_unreadable`: perhaps only for this worker, which may be of an older build than the one that saved the version. */
export type UnreadyReason = 'version_missing' | 'version_unreadable';

/** Hand-outs in a row, about 12 s apart, after which the play FAILs: 25 of them take about five minutes. */
export const UNREADY_LIMITS: Readonly<Record<UnreadyReason, number>> = { version_missing: 3, version_unreadable: 25 };

/** Counts one such hand-out, or FAILs the play at the limit. The write matches only while no worker has claimed the play. */
export function unreadyWrite(
  play: Pick<Play, 'state' | 'epoch' | 'seq' | 'notBegun' | 'turns' | 'lane' | 'laneStops'>,
  error: PlayError & { readonly code: UnreadyReason },
  at: Date,
): PlayWrite {
  // any other write since then restarts the count
  const times = (play.notBegun?.seq === play.seq ? play.notBegun.times : 0) + 1;
  if (times >= UNREADY_LIMITS[error.code]) {
    const end = endWrite(play, error, at);
    return { ...end, match: { ...end.match, owner: null } };
  }
  const seq = play.seq + 1;
  return {
    match: { epoch: play.epoch, seq: play.seq, states: [play.state], owner: null },
    set: { seq, notBegun: { seq, times } },
    unset: [],
    touch: [],
    layers: [],
    log: numberEvents(play.seq, [{ type: 'claimed', at }]),
  };
}
