import type { PlayJob } from '@weft/contracts';
import { unreadyWrite, dropReason, tooLateWrite, type Play, type PlayWrite, type UnreadyReason } from '@weft/engine';
import { cutText } from '@weft/kernel';
import { UnreadableVersion } from '../layers/flow-versions.js';
import type { PreparedVersion } from '@weft/layers';
import type { PlayRunDeps } from './play-run-deps.js';
import type { PlayRoom } from './play-room.js';
import { reportEnd } from './play-reports.js';
import type { JournalPublisher } from './journal-publisher.js';

const MAX_REASON_BYTES = 1_024;

type Deps = Pick<PlayRunDeps, 'source' | 'store' | 'serverNow' | 'events'> & { readonly room: PlayRoom };

/** Why a play cannot be started by this worker. */
interface CannotBegin {
  readonly code: UnreadyReason;
  readonly message: string;
}

/**
 * Reads the play of a job and prepares its version. If that is impossible, counts it or ends the play.
 *
 * @returns for a play that does not run here: what happened to it, in one word
 */
export async function preparePlay(
  job: PlayJob,
  publisher: JournalPublisher,
  deps: Deps,
): Promise<{ readonly play: Play; readonly prepared: PreparedVersion } | string> {
  const play = await deps.source.find(job, deps.room.take);
  if (!play) return 'missing';
  const late = await endTooLate(play, job.epoch, publisher, deps);
  if (late !== null) return late;
  const prepared = await preparedOr(play, deps.source);
  publisher.onPlayRead(play);
  return 'code' in prepared ? leaveUnready(play, prepared, job.epoch, publisher, deps) : { play, prepared };
}

/** Ends a play that had to begin earlier. Null: it may begin. */
async function endTooLate(play: Play, epoch: number, publisher: JournalPublisher, deps: Deps): Promise<string | null> {
  const at = new Date(deps.serverNow());
  const write = tooLateWrite(play, at);
  if (!write) return null;
  publisher.onPlayRead(play);
  return dropReason(play, epoch) ?? end(play, write, at, publisher, deps);
}

/** The play's version, ready to run; otherwise why it is not. */
async function preparedOr(play: Play, source: PlayRunDeps['source']): Promise<PreparedVersion | CannotBegin> {
  const which = `version ${play.version} of the flow`;
  try {
    const prepared = await source.prepare(play);
    if (prepared) return prepared;
    return {
      code: 'version_missing',
      message: `The ${which}, which this play runs, is not stored any more: run the flow again.`,
    };
  } catch (error) {
    if (!(error instanceof UnreadableVersion)) throw error;
    const reason = cutText(error.message, MAX_REASON_BYTES);
    const message = `The workers cannot read the ${which}, which this play runs (${reason}): save the flow anew and run it again, or run workers of the build that saved it.`;
    return { code: 'version_unreadable', message };
  }
}

/** Counts that the play could not be started here, or ends it. Resolves with what happened to it, in one word. */
async function leaveUnready(
  play: Play,
  why: CannotBegin,
  epoch: number,
  publisher: JournalPublisher,
  deps: Deps,
): Promise<string> {
  const drop = dropReason(play, epoch);
  if (drop !== null) return drop;
  const at = new Date(deps.serverNow());
  const write = unreadyWrite(play, { ...why, ref: null }, at);
  const what = await end(play, write, at, publisher, deps);
  if (what !== 'fenced') deps.events.unready(play, why.code);
  return what;
}

async function end(
  play: Play,
  write: PlayWrite,
  at: Date,
  publisher: JournalPublisher,
  { store, events }: Deps,
): Promise<string> {
  const key = { playId: play._id, companyId: play.company_id, flowId: play.flowId };
  // another worker has it now, or it was changed: the next hand-out reads it again
  if (!(await store.write(key, write))) return 'fenced';
  publisher.publishWrite(write, write.set.seq ?? play.seq);
  if (write.set.state === undefined) return 'unready';
  reportEnd(events, play, at, write.set.state);
  return 'final';
}
