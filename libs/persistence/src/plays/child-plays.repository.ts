import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { DUE_OR_PENDING, PLAYS } from './play.schema.js';
import { MOST_RETRY_LINKS, OPEN, openRetryOf, withOpenRetry } from './open-retries.js';

/** An ended play whose parent has not been notified yet. */
export type EndedChild = Pick<Play, '_id' | 'company_id' | 'flowId' | 'state' | 'parentPlayId' | 'parent'>;

/**
 * What a play keeps until it has ended, a place of a limited flow and the turn of a lane, or queues for; which parent waits for it,
 * and what it waits for.
 */
export type ParentPlay = Pick<Play, '_id' | keyof typeof PARENT>;

/** What makes a play the child of a layer. */
export type ChildMarks = Required<Pick<Play, 'parentPlayId' | 'parent'>> & Pick<Play, 'parentPending' | 'loopPending'>;

export type UserRetry = Pick<Play, '_id' | 'state'> & Required<Pick<Play, 'retryOf'>>;

/** What of a play tells which layer has started it, or the play that it retries. */
type StartedPlay = Pick<Play, '_id' | keyof typeof STARTED>;

const DUPLICATE_KEY = 11_000;
/** Of the failed plays that are asked for together. */
const MOST_RETRIES = 1_000;

const PARENT = {
  ...{ flowId: 1, limited: 1, queued: 1, lane: 1, laneQueued: 1 },
  ...{ parentPending: 1, loopPending: 1, parentPlayId: 1, waits: 1 },
} as const;
const STARTED = { parentPlayId: 1, parent: 1, retryOf: 1, trigger: 1 } as const;
const ENDED_CHILD = { company_id: 1, flowId: 1, state: 1, parentPlayId: 1, parent: 1 } as const;

/** Plays that layers of other plays have started. */
export class ChildPlaysRepository {
  private readonly plays: mongo.Collection<Play>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /** The play of this flow that this layer has started, or this item of its loop. Indexes `children`, `loop_child`. */
  async childOf(
    scope: TenantScope,
    flowId: string,
    parentPlayId: string,
    layer: number,
    item?: number,
  ): Promise<Play | null> {
    const place = item === undefined ? { 'parent.layer': layer } : { 'parent.loop': layer, 'parent.item': item };
    const filter = { company_id: scope.companyId, flowId, parentPlayId, ...place };
    return this.plays.findOne(filter as mongo.Filter<Play>);
  }

  /** Which play this one retries; null when it retries none, or is not stored any more. */
  async retried(scope: TenantScope, playId: string): Promise<string | null> {
    const filter = { _id: playId, company_id: scope.companyId } as mongo.Filter<Play>;
    return (await this.plays.findOne<Pick<Play, 'retryOf'>>(filter, { projection: { retryOf: 1 } }))?.retryOf ?? null;
  }

  /** Retries that users have made of these plays by themselves, the newest first. Index `retries`. */
  async retriesByUsers({ companyId }: TenantScope, playIds: readonly string[]): Promise<UserRetry[]> {
    // those of trigger `flow` were made by layers when a parent was retried
    const byUsers = { retryOf: { $in: [...playIds] }, trigger: { $nin: ['rerun', 'flow'] } } as const;
    return this.plays
      .find<UserRetry>({ company_id: companyId, ...byUsers } as mongo.Filter<Play>, {
        projection: { state: 1, retryOf: 1 },
      })
      .sort({ _id: -1 })
      .limit(MOST_RETRIES)
      .toArray();
  }

  /** Of the play's retries the one that was made first. Index `first_retry`. */
  async firstRetryOf({ companyId }: TenantScope, playId: string): Promise<Pick<Play, '_id' | 'trigger'> | null> {
    return this.plays.findOne<Pick<Play, '_id' | 'trigger'>>(
      { company_id: companyId, retryOf: playId, firstRetry: true },
      { projection: { trigger: 1 } },
    );
  }

  async find({ companyId }: TenantScope, playId: string): Promise<Play | null> {
    return this.plays.findOne({ _id: playId, company_id: companyId });
  }

  /**
   * Makes an open play without a parent the child of a layer, which waits for it from now on. The worker that executes the play
   * need not know of it: the scheduler finds the mark at its end.
   *
   * @returns false: the play has ended or has a parent, or the layer has a child
   */
  async adopt({ companyId }: TenantScope, { _id, flowId }: Pick<Play, '_id' | 'flowId'>, marks: ChildMarks) {
    const isFree = { completedAt: { $exists: false }, parentPlayId: { $exists: false } } as const;
    try {
      const filter = { _id, company_id: companyId, flowId, ...isFree } as mongo.Filter<Play>;
      return (await this.plays.updateOne(filter, { $set: marks })).matchedCount === 1;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === DUPLICATE_KEY) return false;
      throw error;
    }
  }

  /** A play of the company as what it started sees it. */
  async parent(scope: TenantScope, playId: string): Promise<ParentPlay | null> {
    const filter = { _id: playId, company_id: scope.companyId } as mongo.Filter<Play>;
    return this.plays.findOne<ParentPlay>(filter, { projection: PARENT });
  }

  /**
   * Whether the play that started this one, or a retry of it, may still ask for it: it has not ended, and has no result of the layer
   * that started it. Indexes `retries` and the one over ids.
   */
  async isNeededByParent(scope: TenantScope, child: Pick<Play, 'parentPlayId' | 'parent'>): Promise<boolean> {
    if (child.parentPlayId === undefined) return false;
    const filter = { _id: child.parentPlayId, company_id: scope.companyId, ...openWithout(child) };
    const parent = await this.plays.findOne(filter as mongo.Filter<Play>, { projection: { _id: 1 } });
    return parent !== null || (await this.isNeededByRetry(scope, child));
  }

  /**
   * Of a failed play, an open retry, or an open retry of a retry: over the failed one its layers find the plays that were started
   * before. Null when all have ended; the play itself when it has too many retries to tell. Index `retries`.
   */
  async openRetryOf({ companyId }: TenantScope, { _id, state }: Pick<Play, '_id' | 'state'>): Promise<string | null> {
    return state === 'FAIL' ? openRetryOf(this.plays, companyId, _id) : null;
  }

  /**
   * Of these failed plays, those that an open retry of their parent may still ask for: its layer retries them itself. Retries that
   * users have made of a child are what that layer goes on with, so they belong to the parent of the child.
   */
  async neededByRetries(scope: TenantScope, plays: readonly StartedPlay[]): Promise<ReadonlySet<string>> {
    const answers = new Map<string, Promise<boolean>>();
    const needed = plays.map(async (play) => {
      const child = await this.childBefore(scope, play);
      if (!child?.parent) return [];
      const place = `${child.parentPlayId ?? ''} ${child.parent.layer ?? child.parent.loop ?? ''}`;
      const answer = answers.get(place) ?? this.isNeededByRetry(scope, child);
      answers.set(place, answer);
      return (await answer) ? [play._id] : [];
    });
    return new Set((await Promise.all(needed)).flat());
  }

  /** The play itself, or the nearest one before it in its chain of retries, that a layer has started. */
  private async childBefore(scope: TenantScope, play: StartedPlay): Promise<StartedPlay | null> {
    let link: StartedPlay | null = play;
    for (let i = 0; i < MOST_RETRY_LINKS; i += 1) {
      if (!link || link.parentPlayId !== undefined) return link;
      if (link.retryOf === undefined || link.trigger === 'rerun') return null;
      const before: mongo.Filter<Play> = { _id: link.retryOf, company_id: scope.companyId };
      link = await this.plays.findOne<StartedPlay>(before, { projection: STARTED });
    }
    return null;
  }

  /** Whether a retry of the play that started this one may still ask for it. Index `retries`. */
  private async isNeededByRetry({ companyId }: TenantScope, child: Pick<Play, 'parentPlayId' | 'parent'>) {
    if (child.parentPlayId === undefined) return false;
    return (await withOpenRetry(this.plays, companyId, [child.parentPlayId], openWithout(child))).size > 0;
  }

  /** Ended plays whose parents wait for them and were not notified, without these; the longest ended first. Index `due_or_pending`. */
  async withParentPending(_scope: SystemScope, limit: number, except: readonly string[] = []): Promise<EndedChild[]> {
    const others = except.length === 0 ? {} : { _id: { $nin: [...except] } };
    const pending = { dueAt: null, parentPending: true, completedAt: { $exists: true } } as object;
    return this.plays
      .find<EndedChild>({ ...pending, ...others }, { projection: ENDED_CHILD, hint: DUE_OR_PENDING })
      .sort({ completedAt: 1 })
      .limit(limit)
      .toArray();
  }

  /** The parent was notified, or does not need to be any more. */
  async markParentNotified(_scope: SystemScope, { _id, company_id, flowId }: EndedChild): Promise<void> {
    await this.plays.updateOne({ _id, company_id, flowId }, { $unset: { parentPending: 1 } });
  }
}

/** Matches plays that have not ended and have no result of the layer that started this one. */
function openWithout({ parent }: Pick<Play, 'parent'>): mongo.Filter<Play> {
  const position = parent?.layer ?? parent?.loop;
  return { ...OPEN, ...(position !== undefined && { 'layers.position': { $ne: position } }) };
}
