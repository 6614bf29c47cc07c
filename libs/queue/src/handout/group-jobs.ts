import type { PlayJob, QueueJob } from '@weft/contracts';

/** The most plays in one job. More save hardly anything, and all plays of a job are handed out to one worker. */
export const MOST_PLAYS_PER_JOB = 8;

/** The epoch of a play's first ring. */
export const FIRST_EPOCH = 1;

type OpenGroup = [PlayJob, ...PlayJob[]];

/**
 * The jobs for these plays, in the order of their first plays. Plays of one company that are rung for the first time share
 * jobs. Any other play may be a suspect, which runs, waits and is given back by itself, so it has a job of its own.
 *
 * @param most plays in one job
 */
export function groupJobs(plays: readonly PlayJob[], most: number): QueueJob[] {
  if (most <= 1) return [...plays];
  const groups: OpenGroup[] = [];
  const open = new Map<string, OpenGroup>();
  for (const play of plays) {
    const isFirst = play.epoch === FIRST_EPOCH && play.handedOut !== true;
    const group = isFirst ? open.get(play.companyId) : undefined;
    if (group && group.length < most) {
      group.push(play);
      continue;
    }
    const fresh: OpenGroup = [play];
    groups.push(fresh);
    if (isFirst) open.set(play.companyId, fresh);
  }
  return groups.map(asJob);
}

function asJob(group: OpenGroup): QueueJob {
  const [first] = group;
  if (group.length === 1) return first;
  return {
    companyId: first.companyId,
    plays: group.map(({ playId, flowId, epoch }) => ({ playId, flowId, epoch })),
  };
}
