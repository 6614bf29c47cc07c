import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { FINAL_STATES, PLAY_STATES, type PlayState } from '@weft/contracts';
import { stopsLane, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  ChildPlaysRepository,
  FlowRepository,
  PlayCommandsRepository,
  TenantScope,
  type BulkTally,
  type PlayFilter,
  type PlayToCancel,
} from '@weft/persistence';
import { PlayCommands, type Applied } from '@weft/runs';
import { FlowRights } from '../flows/flow-rights.js';
import type { RequestOrigin } from '../http/request-origin.js';
import { readBulkFilter, type BulkAction, type BulkFilter } from './play-bulk.requests.js';
import { auditOf } from './play-commander.js';
import { cancelOrder } from './play-commands.service.js';
import { PlayRetriesService } from './play-retries.service.js';
import { PlayRights } from './play-rights.js';
import { toPlayFilter } from './play.requests.js';
import { childrenFirst, firstOf, newestFirst } from './retry-order.js';

/** The states that an action changes. */
const TAKES: Readonly<Record<BulkAction, readonly PlayState[]>> = {
  cancel: PLAY_STATES.filter((state) => !(FINAL_STATES as readonly PlayState[]).includes(state)),
  retry: ['FAIL'],
};
/** Of a batch. Retries carry results, up to 1 MB each. */
export const BULK_BATCH: Readonly<Record<BulkAction, number>> = { cancel: 100, retry: 20 };

/** Plays that are cancelled at the same time. */
const CANCELS_AT_ONCE = 8;

/** Of work that may be repeated: what tells that an earlier attempt changed a play. */
export interface RepeatableBulk {
  readonly since: Date;
  /** The id of the retry of this play, the same in each attempt. */
  readonly retryIdOf: (playId: string) => string;
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
    private readonly children: ChildPlaysRepository,
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
    return hidden || states.length === 0 ? null : { ...filter, flowId, flows, states };
  }

  /** Those of these plays that the caller may read, in this order. */
  async readable(caller: Principal, ids: readonly string[]): Promise<string[]> {
    const heads = await this.plays.findHeads(new TenantScope(caller.companyId), ids);
    const readable = new Set((await this.rights.permitted(caller, 'read', heads)).map(({ _id }) => _id));
    return ids.filter((id) => readable.has(id));
  }

  /** Each by itself, as a person cancels it: a write of its worker in between delays only this one. */
  async cancel(
    caller: Principal,
    origin: RequestOrigin,
    ids: readonly string[],
    repeatable?: RepeatableBulk,
  ): Promise<BulkTally> {
    const scope = new TenantScope(caller.companyId);
    const heads = await this.plays.findHeads(scope, ids);
    const allowed = (await this.rights.permitted(caller, 'control', heads)).map((play) => play._id);
    const outcomes = new Map<string, Applied<PlayToCancel>['kind']>();
    for (let i = 0; i < allowed.length; i += CANCELS_AT_ONCE) {
      const some = allowed.slice(i, i + CANCELS_AT_ONCE);
      await Promise.all(some.map(async (id) => outcomes.set(id, await this.cancelOne(caller, origin, scope, id))));
    }
    const left = allowed.filter((id) => outcomes.get(id) !== 'written');
    const before = repeatable && left.length > 0 ? await this.plays.countCancelled(scope, left, repeatable.since) : 0;
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

  /** @throws WeftError `backlog_full` of repeatable work, which goes on later; otherwise such plays are skipped */
  async retry(caller: Principal, ids: readonly string[], repeatable?: RepeatableBulk): Promise<BulkTally> {
    const scope = new TenantScope(caller.companyId);
    const found = await this.plays.findMany(scope, ids);
    const allowed = await this.rights.permitted(caller, 'control', found);
    // read first: what such a layer has retried before it ended is among the retried ones
    const needed = await this.children.neededByRetries(scope, allowed.filter(mayStayFailed));
    // a second call must not make second retries of the first one's plays
    const retried = await this.plays.retriedAmong(
      scope,
      allowed.map((play) => play._id),
    );
    // read after those: of what an attempt in parallel with this one makes in between, its own are known
    const before = repeatable ? await this.retriedBefore(scope, allowed, repeatable) : new Set<string>();
    const wanted = allowed.filter((play) => !needed.has(play._id) && !retried.has(play._id) && !before.has(play._id));
    const outcomes: string[] = [];
    for (const plays of childrenFirst(wanted, await this.parentFlowsOf(scope, wanted)))
      outcomes.push(...(await Promise.all(plays.map((play) => this.retryOne(caller, play, repeatable)))));
    const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
    const [changed, failed] = [count('changed') + before.size, count('failed')];
    return { changed, skipped: found.length - changed - failed, failed };
  }

  /** These ids in the order in which batches of them are retried: a play before the play whose layer has started it. */
  async inOrder(caller: Principal, ids: readonly string[]): Promise<string[]> {
    return newestFirst(ids, await this.plays.firstsOf(new TenantScope(caller.companyId), ids));
  }

  private parentFlowsOf(scope: TenantScope, plays: readonly Play[]): Promise<ReadonlyMap<string, string>> {
    const retries = plays.filter(({ chain, parent }) => chain && !parent);
    return this.plays.parentFlowsOf(scope, retries.map(firstOf));
  }

  private async retriedBefore(
    scope: TenantScope,
    plays: readonly Play[],
    { retryIdOf }: RepeatableBulk,
  ): Promise<ReadonlySet<string>> {
    const byRetry = new Map(plays.map((play) => [retryIdOf(play._id), play._id]));
    const made = await this.plays.findHeads(scope, [...byRetry.keys()]);
    return new Set(made.flatMap(({ _id }) => byRetry.get(_id) ?? []));
  }

  private async retryOne(
    caller: Principal,
    play: Play,
    repeatable: RepeatableBulk | undefined,
  ): Promise<'changed' | 'skipped' | 'failed'> {
    try {
      // no retry was there when this looked, which may be seconds ago: others look and retry at the same time
      await this.retries.retryPlay(caller, play, { playId: repeatable?.retryIdOf(play._id), onlyFirst: true });
      return 'changed';
    } catch (error) {
      // what refuses one play (its state, its flow, its key, a full backlog) does not affect the others
      if (!(error instanceof WeftError) || error.status >= 500) throw error;
      if (repeatable && error.code === 'backlog_full') throw error;
      return 'skipped';
    }
  }
}

/** False where a lane has stopped at the play: then even the retry of its parent may wait for the lane, and goes on with a user's. */
function mayStayFailed(play: Play): boolean {
  return !(play.laneTurn === true && stopsLane(play));
}
