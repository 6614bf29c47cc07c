import { FINAL_STATES, isFinal, type PlayState } from '@weft/contracts';
import { chainOf, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import { sayTooLong, TIMES } from '../../driver/paging.js';
import type { TenantScope } from '../../scope.js';
import type { PlayFilter } from '../reads/play-query.js';
import { BY_ID, CHAIN, MENDED, MENDING_STATES, PLAYS } from '../play.schema.js';

/** Matches plays that have not ended. */
const OPEN = { state: { $nin: [...FINAL_STATES] } } as const;
/** Chains that a filter names, by up to 40 bytes each. */
const MOST_MENDED = 100_000;

const LINK = { flowId: 1, state: 1, key: 1, retryOf: 1, chain: 1, parentPlayId: 1, parent: 1 } as const;

/** What of a play tells its place among retries, and through which play it is retried. */
export type RetryLink = Pick<Play, '_id' | keyof typeof LINK>;

export interface RetryOfPlay {
  readonly playId: string;
  readonly state: PlayState;
}

/** Chains of retries, each named by the id of its first play (`firstOf`), which may not be stored any more. Index `chain`. */
export class RetriesRepository {
  private readonly plays: mongo.Collection<Play>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /** Of the plays with these ids that the company has. */
  async links({ companyId }: TenantScope, ids: readonly string[]): Promise<RetryLink[]> {
    const filter = { _id: { $in: [...ids] }, company_id: companyId } as Filter;
    return this.plays.find<RetryLink>(filter, { projection: LINK }).toArray();
  }

  /** The last play of a chain: the only one that can be retried. Null: none is stored. */
  async latest({ companyId }: TenantScope, first: string): Promise<RetryLink | null> {
    const last = { projection: LINK, sort: { 'chain.nth': -1 }, hint: CHAIN } as const;
    return (
      (await this.plays.findOne<RetryLink>({ company_id: companyId, 'chain.first': first } as Filter, last)) ??
      (await this.plays.findOne<RetryLink>({ _id: first, company_id: companyId }, { projection: LINK }))
    );
  }

  /**
   * The play through which this one is retried: its parent, as it was retried last, if that waits for it or has taken how it ended.
   * Null: it is retried by itself, also when the parent has ended well, since nobody asks for it again.
   */
  async retriedThrough(scope: TenantScope, { parent }: Pick<Play, 'parent'>): Promise<RetryLink | null> {
    const last = parent?.awaited ? await this.latest(scope, parent.first) : null;
    return last && (last.state === 'FAIL' || !isFinal(last.state)) ? last : null;
  }

  /** By the id of each of these plays that has been retried: its retry. */
  async retriesOf(
    { companyId }: TenantScope,
    plays: readonly Pick<Play, '_id' | 'createdAt' | 'chain' | 'state'>[],
  ): Promise<ReadonlyMap<string, RetryOfPlay>> {
    const failed = plays.filter(({ state }) => state === 'FAIL').map(chainOf);
    if (failed.length === 0) return new Map();
    const firsts = [...new Set(failed.map(({ first }) => first))];
    const places = [...new Set(failed.map(({ nth }) => nth + 1))];
    const found = await this.plays
      .find<Pick<Play, '_id' | 'state' | 'retryOf'>>(
        { company_id: companyId, 'chain.first': { $in: firsts }, 'chain.nth': { $in: places } } as Filter,
        { projection: { state: 1, retryOf: 1 }, hint: CHAIN },
      )
      .toArray();
    return new Map(found.map(({ _id, state, retryOf = '' }) => [retryOf, { playId: _id, state }]));
  }

  /** The play of this chain that has not ended, unless it has a result of the layer at this position; default: in any case. */
  async openWithout({ companyId }: TenantScope, first: string, position?: number): Promise<string | null> {
    const without = position === undefined ? {} : { 'layers.position': { $ne: position } };
    const [open] = await openPlays(this.plays, companyId, { firsts: [first] }, without);
    return open?._id ?? null;
  }

  /**
   * For a list of plays that are mended, or of those that are not.
   *
   * @param flowId of the list; default: all flows
   * @throws WeftError `query_too_slow`: too many plays have been retried
   */
  async mendedFilter(scope: TenantScope, isMended: boolean, flowId?: string): Promise<Pick<PlayFilter, 'mended'>> {
    return { mended: { isMended, chains: await this.mended(scope, flowId) } };
  }

  /** The chains that a retry has brought to a good end. Covered by index `mended`. */
  private async mended({ companyId }: TenantScope, flowId?: string): Promise<string[]> {
    // not `$exists`, for which MongoDB reads each play
    const retries = { company_id: companyId, 'chain.first': { $gt: '' }, state: { $in: [...MENDING_STATES] } };
    const found = await this.plays
      .find({ ...retries, ...(flowId !== undefined && { flowId }) } as Filter, {
        ...{ projection: { _id: 0, 'chain.first': 1 }, hint: MENDED, limit: MOST_MENDED + 1, maxTimeMS: TIMES.page },
      })
      .toArray()
      .catch(sayTooLong);
    if (found.length <= MOST_MENDED) return found.flatMap(({ chain }) => chain?.first ?? []);
    throw new WeftError('query_too_slow', 'Too many plays have been retried to tell them apart: ask for one flow.');
  }
}

type Filter = mongo.Filter<Play>;

/** The chain that a play belongs to. */
export function firstOf({ _id, chain }: { readonly _id: string; readonly chain?: { readonly first: string } }): string {
  return chain?.first ?? _id;
}

/**
 * Of these chains, those with a play that has not ended: at most one of each, the last.
 *
 * @param failed further chains, of which the first play has failed
 */
export async function openChains(
  plays: mongo.Collection<Play>,
  companyId: string,
  firsts: readonly string[],
  failed: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  return new Set((await openPlays(plays, companyId, { firsts, failed })).map(firstOf));
}

/** @param more conditions besides */
async function openPlays(
  plays: mongo.Collection<Play>,
  companyId: string,
  { firsts, failed = [] }: { readonly firsts: readonly string[]; readonly failed?: readonly string[] },
  more: Filter = {},
): Promise<Pick<Play, '_id' | 'chain'>[]> {
  const find = (which: object, hint: string | typeof BY_ID) =>
    plays
      .find<Pick<Play, '_id' | 'chain'>>({ company_id: companyId, ...OPEN, ...more, ...which } as Filter, {
        ...{ projection: { 'chain.first': 1 }, hint },
      })
      .toArray();
  const first = firsts.length > 0 ? await find({ _id: { $in: [...firsts] } }, BY_ID) : [];
  return [...first, ...(await find({ 'chain.first': { $in: [...new Set([...firsts, ...failed])] } }, CHAIN))];
}
