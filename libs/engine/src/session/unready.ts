/**
 * A play that a worker cannot begin, because the version of its flow is gone or cannot be read there. Nothing of it runs, so
 * nobody dies of it: such hand-outs are counted on their own. The reconciler rings for the play again, maybe another worker can.
 */
import type { PlayError } from '@weft/contracts';
import { numbered } from '../play-log.js';
import { endWrite, type PlayWrite } from '../play-write.js';
import type { Play } from '../play.js';

/** Unreadable: maybe only here, where a worker of an older build has taken it. */
export type Unready = 'version_missing' | 'version_unreadable';

/** Hand-outs in a row, some twelve seconds apart, before the play is given up: of the second kind some five minutes. */
export const UNREADY_LIMITS: Readonly<Record<Unready, number>> = { version_missing: 3, version_unreadable: 25 };

/** Counts one such hand-out, or FAILs the play after the last one. Only while nobody has claimed it. */
export function unreadyWrite(
  play: Pick<Play, 'state' | 'epoch' | 'seq' | 'notBegun'>,
  error: PlayError & { readonly code: Unready },
  at: Date,
): PlayWrite {
  // whatever else happened to the play since then began the count anew
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
    log: numbered(play.seq, [{ type: 'claimed', at }]),
  };
}
