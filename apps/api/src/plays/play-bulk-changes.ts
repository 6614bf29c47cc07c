import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { FINAL_STATES, PLAY_STATES, type PlayState } from '@weft/contracts';
import type { RetriedPlay } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  PlayCommandsRepository,
  RetriesRepository,
  TenantScope,
  type PlayFilter,
  type PlayToCancel,
  type RetryLink,
} from '@weft/store';
import { FlowRepository, type BulkTally } from '@weft/records';
import { PlayCommands, type Applied } from '@weft/runs';
import { FlowRights } from '../flows/flow-rights.js';
import type { RequestOrigin } from '../http/request-origin.js';
import { readBulkFilter, type BulkAction, type BulkFilter } from './play-bulk.requests.js';
import { auditOf } from './play-commander.js';
import { cancelOrder } from './play-commands.service.js';
import { PlayRetriesService } from './play-retries.service.js';
import { PlayRights } from './play-rights.js';
import { toPlayFilter } from './play.requests.js';
import { topmostFailed } from './topmost-failed.js';

/** The states that an action changes. */
const TAKES: Readonly<Record<BulkAction, readonly PlayState[]>> = {
  cancel: PLAY_STATES.filter((state) => !(FINAL_STATES as readonly PlayState[]).includes(state)),
  retry: ['FAIL'],
};
/** Of a batch. */
export const BULK_BATCH: Readonly<Record<BulkAction, number>> = { cancel: 100, retry: 20 };

/** Plays that are cancelled at the same time. */
const CANCELS_AT_ONCE = 8;
/** A retry carries results and errors, up to some megabytes. */
const RETRIES_AT_ONCE = 4;

/** One operation, in as many calls as it takes. */
export interface BulkRetry {
  /** The id of the retry that the operation makes of this play, the same in each call and attempt. */
  readonly retryIdOf: (playId: string) => string;
  /** While the backlog is full, the operation pauses; otherwise it passes over what is refused. */
  readonly waitsForRoom: boolean;
}

/** Cancels or retries some plays, each under the rules that hold for it alone. */
@Injectable()
export class PlayBulkChanges {
  constructor(
    private readonly plays: PlayCommandsRepository,
    private readonly flows: FlowRepository,
    private readonly flowRights: FlowRights,
    private readonly commands: PlayCommands,
    private readonly retries: PlayRetriesService,
    private readonly rights: PlayRights,
    private readonly chains: RetriesRepository,
  ) {}

  /** The plays that the caller sees, that the filter matches and that the action can change. Null: nothing can match. */
  async filterOf(caller: Principal, action: BulkAction, texts: BulkFilter): Promise<PlayFilter | null> {
    const { flowId, ...query } = readBulkFilter(texts);
    const filter = toPlayFilter(query);
    const states = (filter.states ?? TAKES[action]).filter((one) => TAKES[action].includes(one));
    const visibility = await this.flowRights.visibilityOf(caller);
    const flows = await this.flows.choiceFor(new TenantScope(caller.companyId), visibility);
    const hidden =
      flowId !== undefined && ('only' in flows ? !flows.only.includes(flowId) : flows.except.includes(flowId));
    if (hidden || states.length === 0) return null;
    const scope = new TenantScope(caller.companyId);
    const mended = query.mended && (await this.chains.mendedFilter(scope, query.mended === 'true', flowId));
    return { ...filter, ...mended, flowId, flows, states };
  }

  /** Those of these plays that the caller may read, in this order. */
  async readable(caller: Principal, ids: readonly string[]): Promise<string[]> {
    const heads = await this.plays.findHeads(new TenantScope(caller.companyId), ids);
    const readable = new Set((await this.rights.permitted(caller, 'read', heads)).map(({ _id }) => _id));
    return ids.filter((id) => readable.has(id));
  }

  /**
   * Each by itself, as a person cancels it: a write of its worker in between delays only this one.
   *
   * @param since of work that may be repeated: plays that were cancelled since then were so by an earlier attempt
   */
  async cancel(caller: Principal, origin: RequestOrigin, ids: readonly string[], since?: Date): Promise<BulkTally> {
    const scope = new TenantScope(caller.companyId);
    const heads = await this.plays.findHeads(scope, ids);
    const allowed = (await this.rights.permitted(caller, 'control', heads)).map((play) => play._id);
    const outcomes = new Map<string, Applied<PlayToCancel>['kind']>();
    await eachOf(allowed, CANCELS_AT_ONCE, async (id) => {
      outcomes.set(id, await this.cancelOne(caller, origin, scope, id));
    });
    const left = allowed.filter((id) => outcomes.get(id) !== 'written');
    const before = since && left.length > 0 ? await this.plays.countCancelled(scope, left, since) : 0;
    const changed = allowed.length - left.length + before;
    const failed = left.filter((id) => outcomes.get(id) === 'contended').length;
    return { changed, skipped: heads.length - changed - failed, failed };
  }

  private async cancelOne(
    caller: Principal,
    origin: RequestOrigin,
    scope: TenantScope,
    playId: string,
  ): Promise<Applied<PlayToCancel>['kind']> {
    const order = cancelOrder(caller);
    const applied = await this.commands.apply<PlayToCancel>({
      read: () => this.plays.findToCancel(scope, playId),
      order: (play) => play && { play, command: order.command, entry: auditOf(caller, origin, play, order) },
    });
    return applied.kind;
  }

  /**
   * Retries the topmost play of each (`topmostFailed`). A play counts as changed when its topmost one is retried.
   *
   * @throws WeftError `backlog_full` of work that waits for room, which goes on later; otherwise such plays are skipped
   */
  async retry(caller: Principal, ids: readonly string[], work: BulkRetry): Promise<BulkTally> {
    const scope = new TenantScope(caller.companyId);
    const links = await this.chains.links(scope, ids);
    const isMade = ({ _id, retryOf }: RetryLink) => retryOf !== undefined && work.retryIdOf(retryOf) === _id;
    const tops = await Promise.all(links.map((link) => topmostFailed(link, scope, this.chains, isMade)));
    const wanted = new Set(tops.flatMap((top) => (top === null || top === 'made' ? [] : top.playId)));
    const heads = await this.plays.findHeads(scope, [...wanted]);
    const allowed = (await this.rights.permitted(caller, 'control', heads)).map((play) => play._id);
    const retried = new Set<string>();
    await eachOf(allowed, RETRIES_AT_ONCE, async (id) => {
      const failed = await this.plays.findToRetry(scope, id);
      if (failed && (await this.isRetried(caller, failed, work))) retried.add(id);
    });
    const changed = tops.filter((top) => top !== null && (top === 'made' || retried.has(top.playId))).length;
    return { changed, skipped: links.length - changed, failed: 0 };
  }

  private async isRetried(
    caller: Principal,
    play: RetriedPlay,
    { retryIdOf, waitsForRoom }: BulkRetry,
  ): Promise<boolean> {
    try {
      await this.retries.retryPlay(caller, play, retryIdOf(play._id));
      return true;
    } catch (error) {
      // what refuses one play (its flow, its key, another retry, a full backlog) does not affect the others
      if (!(error instanceof WeftError) || error.status >= 500) throw error;
      if (waitsForRoom && error.status === 429) throw error;
      return false;
    }
  }
}

async function eachOf(ids: readonly string[], atOnce: number, work: (id: string) => Promise<void>): Promise<void> {
  for (let i = 0; i < ids.length; i += atOnce) await Promise.all(ids.slice(i, i + atOnce).map(work));
}
