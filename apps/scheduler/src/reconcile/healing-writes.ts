import { isFinal, type PlayJob } from '@weft/contracts';
import { tooLargeErasingWrite, tooLargeWrite, type OpenPlay } from '@weft/engine';
import {
  isDocumentTooLarge,
  isStoreUnavailable,
  playKeyOf,
  type FailedWrite,
  type OpenPlayChange,
  type OpenPlaysRepository,
  type WriteOutcomes,
} from '@weft/store';
import type { Doorbell } from '@weft/queue';
import type { Logger } from 'pino';
import { RestingPlays } from '../resting-plays.js';
import { PlayChanges } from '@weft/runs';

export interface HealingWritesDeps {
  readonly plays: OpenPlaysRepository;
  readonly doorbell: Doorbell;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly changes: Pick<PlayChanges, 'written' | 'unanswered'>;
  readonly count: (action: string, plays: number) => void;
  readonly log: Logger;
}

/** Of the plays that one step heals, this many are logged by name. */
const LOGGED_BY_NAME = 20;
const NOBODY: ReadonlySet<string> = new Set();

/**
 * Makes the reconciler's writes, and what follows from each: its notice, its ring, its stats. A play whose write fails does
 * not stop the others: it is skipped for a while, and FAILs if its document has no room left.
 */
export class HealingWrites {
  readonly resting = new RestingPlays();

  constructor(private readonly deps: HealingWritesDeps) {}

  /**
   * @param readAtMs monotonic time from before the plays were read. The rings count as asked for then: the write may be another
   * process's, and its ring is not made later than that process would make it
   * @returns ids of those that were written
   * @throws when MongoDB is unreachable; what was written until then is rung for
   */
  async write(action: string, changes: readonly OpenPlayChange[], readAtMs: number): Promise<ReadonlySet<string>> {
    const due = changes.filter(({ play }) => !this.resting.isResting(play._id));
    if (due.length === 0) return NOBODY;
    const { ends = [], goesOn = [] } = Object.groupBy(due, ({ write }) => (isEnd(write) ? 'ends' : 'goesOn'));
    const { plays } = this.deps;
    const settled = await Promise.allSettled([plays.writeEach(ends), plays.writeTogether(goesOn)]);
    const outcomes = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const written = await this.conclude(action, due, merged(outcomes), readAtMs);
    await this.failed(
      action,
      outcomes.flatMap(({ failed }) => failed),
      readAtMs,
    );
    for (const one of settled) if (one.status === 'rejected') throw one.reason;
    return written;
  }

  private async conclude(
    action: string,
    changes: readonly OpenPlayChange[],
    { written, count }: Pick<WriteOutcomes, 'written' | 'count'>,
    readAtMs: number,
  ): Promise<ReadonlySet<string>> {
    const jobs = new Map(written.map((job) => [job.playId, job]));
    const ring: PlayJob[] = [];
    const healed: OpenPlay[] = [];
    for (const { play, write } of changes) {
      const job = jobs.get(play._id);
      if (!job) continue;
      healed.push(play);
      this.resting.written(play._id);
      this.deps.changes.written(play, write);
      if (!isEnd(write) && !write.set.queues && !write.set.ready) ring.push(job);
    }
    if (count > 0) this.deps.count(action, count);
    this.logHealed(action, healed);
    await this.deps.doorbell.ring(ring, readAtMs);
    return new Set(jobs.keys());
  }

  /**
   * What follows from writes that failed: the plays are skipped for a while, and those that can never be written are ended.
   *
   * @throws when MongoDB is unreachable
   */
  private async failed(action: string, failed: readonly FailedWrite[], readAtMs: number): Promise<void> {
    const unanswered = failed.filter(({ error }) => isStoreUnavailable(error));
    // the next pass does not find a play that has ended
    for (const { play, write } of unanswered) if (isEnd(write)) this.deps.changes.unanswered(play, write);
    const refused = failed.filter(({ error }) => !isStoreUnavailable(error));
    if (refused.length > 0) this.deps.count('refused_write', refused.length);
    for (const { play } of refused) this.resting.failed(play._id);
    this.logRefused(action, refused);
    await this.endTooLarge(refused, readAtMs);
    if (unanswered[0]) throw unanswered[0].error;
  }

  /**
   * The same for writes that another component made.
   *
   * @throws when not all of the plays have ended
   */
  async giveUp(action: string, failed: readonly FailedWrite[]): Promise<void> {
    await this.failed(action, failed, performance.now());
    const open = failed.find(({ play }) => this.resting.isResting(play._id));
    if (open) throw open.error;
  }

  /** A write for which the document has no room never succeeds. */
  private async endTooLarge(refused: readonly FailedWrite[], readAtMs: number): Promise<void> {
    const at = new Date(this.deps.serverNow());
    let full = refused.filter(({ error }) => isDocumentTooLarge(error)).map(({ play }) => play);
    for (const endOfPlay of [tooLargeWrite, tooLargeErasingWrite]) {
      const ends = full.map((play) => ({ play, write: endOfPlay(play, at) }));
      const outcomes = await this.deps.plays.writeEach(ends);
      if (outcomes.written.length > 0) await this.conclude('too_large', ends, outcomes, readAtMs);
      full = outcomes.failed.filter(({ error }) => isDocumentTooLarge(error)).map(({ play }) => play);
    }
  }

  private logHealed(action: string, healed: readonly OpenPlay[]): void {
    if (healed.length === 0) return;
    const of = { component: 'reconciler', action };
    this.deps.log.info({ ...of, plays: healed.length }, 'healed');
    for (const play of healed.slice(0, LOGGED_BY_NAME)) this.deps.log.info({ ...of, ...nameOf(play) }, 'healed a play');
  }

  private logRefused(action: string, refused: readonly FailedWrite[]): void {
    for (const { play, error: err } of refused.slice(0, LOGGED_BY_NAME)) {
      this.deps.log.warn(
        { component: 'reconciler', action, ...nameOf(play), err },
        'MongoDB refused to write a play; the others are not affected, and it is tried again later',
      );
    }
  }
}

function isEnd({ set }: OpenPlayChange['write']): boolean {
  return set.state !== undefined && isFinal(set.state);
}

function merged(outcomes: readonly WriteOutcomes[]): Pick<WriteOutcomes, 'written' | 'count'> {
  return {
    written: outcomes.flatMap(({ written }) => written),
    count: outcomes.reduce((sum, { count }) => sum + count, 0),
  };
}

function nameOf(play: OpenPlay) {
  const { playId, companyId, flowId } = playKeyOf(play);
  const request = play.requestId === undefined ? {} : { request_id: play.requestId };
  return { company_id: companyId, flow_id: flowId, play_id: playId, ...request };
}
