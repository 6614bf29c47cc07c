import type { PlayJob } from '@weft/contracts';
import { unreadyWrite, whyDropped, type Play, type Unready } from '@weft/engine';
import { cutText } from '@weft/kernel';
import { UnreadableVersion } from '../layers/flow-versions.js';
import type { PreparedVersion } from '@weft/layers';
import type { PlayRunDeps } from './play-run-deps.js';
import { tellEnd } from './tell-moments.js';
import type { ToldJournal } from './told-journal.js';

const MAX_REASON_BYTES = 1_024;

type Deps = Pick<PlayRunDeps, 'read' | 'prepare' | 'store' | 'serverNow' | 'notices' | 'onFinal' | 'onUnready'>;

/** Why a play cannot be begun here. */
interface CannotBegin {
  readonly code: Unready;
  readonly message: string;
}

/**
 * The play of a job, and its version ready to run. Where that cannot be, it is counted or ends the play.
 *
 * @returns a word for what became of a play that does not run here
 */
export async function readyPlay(
  job: PlayJob,
  told: ToldJournal,
  deps: Deps,
): Promise<{ readonly play: Play; readonly prepared: PreparedVersion } | string> {
  const play = await deps.read(job);
  if (!play) return 'missing';
  const prepared = await preparedOr(play, deps.prepare);
  told.learn(play);
  return 'code' in prepared ? leaveUnready(play, prepared, job.epoch, told, deps) : { play, prepared };
}

/** The play's version, ready to run; else why it is not. */
async function preparedOr(play: Play, prepare: PlayRunDeps['prepare']): Promise<PreparedVersion | CannotBegin> {
  const which = `version ${play.version} of the flow`;
  try {
    const prepared = await prepare(play);
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

/** Counts that the play could not be begun here, or ends it. Resolves with what became of it, in one word. */
async function leaveUnready(
  play: Play,
  why: CannotBegin,
  epoch: number,
  told: ToldJournal,
  deps: Deps,
): Promise<string> {
  const drop = whyDropped(play, epoch);
  if (drop !== null) return drop;
  const at = new Date(deps.serverNow());
  const key = { playId: play._id, companyId: play.company_id, flowId: play.flowId };
  const write = unreadyWrite(play, { ...why, ref: null }, at);
  // somebody else has it now, or changed it: the next hand-out looks again
  if (!(await deps.store.write(key, write))) return 'fenced';
  told.wrote(write, write.set.seq ?? play.seq);
  deps.onUnready(play, why.code);
  if (write.set.state === undefined) return 'unready';
  tellEnd(deps, play, at, write.set.state);
  return 'final';
}
