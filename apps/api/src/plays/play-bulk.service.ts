import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { FINAL_STATES, PLAY_STATES, type PlayState } from '@weft/contracts';
import { decideCommand, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  FlowRepository,
  Mongo,
  PlayCommandsRepository,
  TenantScope,
  type CommandedPlay,
  type PlayFilter,
} from '@weft/persistence';
import { FlowRights } from '../flows/flow-rights.js';
import type { RequestOrigin } from '../http/request-origin.js';
import {
  bulkTarget,
  readBulkFilter,
  type BulkAction,
  type BulkBody,
  type BulkFilter,
  type BulkTarget,
} from './play-bulk.requests.js';
import { auditOf } from './play-commander.js';
import { cancelOrder } from './play-commands.service.js';
import { PlayRetriesService } from './play-retries.service.js';
import { toPlayFilter } from './play.requests.js';
import { PlayRights } from './play-rights.js';
import { PlayChanges } from '@weft/runs';

/** `matched − changed − skipped` is what the call left for the next one. */
export interface BulkAnswer {
  readonly matched: number;
  readonly changed: number;
  readonly skipped: number;
}

interface Tally {
  changed: number;
  skipped: number;
}

/** A call changes at most that many plays … */
const MAX_CHANGED = 1_000;
/** … and looks at that many; `matched` counts no further. */
const MAX_MATCHED = 10_000;
/** Plays of one transaction: short, so that no worker's write waits long for it. */
const CANCELS_AT_ONCE = 100;
/** Retries carry their results: up to 1 MB each. */
const RETRIES_AT_ONCE = 20;

/** The states that an action changes. */
const TAKES: Readonly<Record<BulkAction, readonly PlayState[]>> = {
  cancel: PLAY_STATES.filter((state) => !(FINAL_STATES as readonly PlayState[]).includes(state)),
  retry: ['FAIL'],
};

/** Cancels or retries many plays, each under the rules that hold for it alone. What cannot be changed is skipped. */
@Injectable()
export class PlayBulkService {
  constructor(
    private readonly mongo: Mongo,
    private readonly plays: PlayCommandsRepository,
    private readonly flows: FlowRepository,
    private readonly flowRights: FlowRights,
    private readonly changes: PlayChanges,
    private readonly retries: PlayRetriesService,
    private readonly rights: PlayRights,
  ) {}

  /** @throws WeftError `empty_filter`, `invalid_body` */
  async carryOut(caller: Principal, origin: RequestOrigin, body: BulkBody): Promise<BulkAnswer> {
    const { action, dryRun = false } = body;
    const target = bulkTarget(body);
    if (dryRun) return { matched: await this.countMatching(caller, action, target), changed: 0, skipped: 0 };
    const change =
      action === 'cancel'
        ? (some: readonly string[]) => this.cancelSome(caller, origin, some)
        : (some: readonly string[]) => this.retrySome(caller, some);
    const batch = action === 'cancel' ? CANCELS_AT_ONCE : RETRIES_AT_ONCE;
    return 'ids' in target
      ? this.changeNamed(target.ids, batch, change)
      : this.changeMatching(caller, action, target.filter, batch, change);
  }

  private async countMatching(caller: Principal, action: BulkAction, target: BulkTarget): Promise<number> {
    const scope = new TenantScope(caller.companyId);
    if ('ids' in target) return (await this.plays.findHeads(scope, target.ids)).length;
    const filter = await this.filterOf(caller, action, target.filter);
    return filter === null ? 0 : this.plays.count(scope, filter, MAX_MATCHED);
  }

  private async changeNamed(ids: readonly string[], batch: number, change: Change): Promise<BulkAnswer> {
    const tally: Tally = { changed: 0, skipped: 0 };
    for (let i = 0; i < ids.length; i += batch) add(tally, await change(ids.slice(i, i + batch)));
    return { matched: tally.changed + tally.skipped, ...tally };
  }

  private async changeMatching(
    caller: Principal,
    action: BulkAction,
    texts: BulkFilter,
    batch: number,
    change: Change,
  ): Promise<BulkAnswer> {
    const scope = new TenantScope(caller.companyId);
    const filter = await this.filterOf(caller, action, texts);
    const tally: Tally = { changed: 0, skipped: 0 };
    if (filter === null) return { matched: 0, ...tally };
    const matched = await this.plays.count(scope, filter, MAX_MATCHED);
    let after: string | null = null;
    while (tally.changed < MAX_CHANGED && tally.changed + tally.skipped < MAX_MATCHED) {
      const size = Math.min(batch, MAX_CHANGED - tally.changed);
      const ids: string[] = await this.plays.ids(scope, filter, after, size);
      if (ids.length === 0) break;
      add(tally, await change(ids));
      after = ids.at(-1) ?? null;
    }
    // more may match than were counted first: what was handled matched for certain
    return { matched: Math.max(matched, tally.changed + tally.skipped), ...tally };
  }

  /** Null: nothing can match. */
  private async filterOf(caller: Principal, action: BulkAction, texts: BulkFilter): Promise<PlayFilter | null> {
    const query = readBulkFilter(texts);
    const { state = TAKES[action], flowId } = query;
    const states = state.filter((one) => TAKES[action].includes(one));
    const visibility = await this.flowRights.visibilityOf(caller);
    const flows = await this.flows.choiceFor(new TenantScope(caller.companyId), visibility);
    const hidden =
      flowId !== undefined && ('only' in flows ? !flows.only.includes(flowId) : flows.except.includes(flowId));
    if (hidden || states.length === 0) return null;
    return { ...toPlayFilter(query), flowId, flows, states };
  }

  private async cancelSome(caller: Principal, origin: RequestOrigin, ids: readonly string[]): Promise<Tally> {
    const scope = new TenantScope(caller.companyId);
    const heads = await this.plays.findHeads(scope, ids);
    const allowed = (await this.rights.permitted(caller, 'control', heads)).map((play) => play._id);
    const order = cancelOrder(caller);
    const changes = await this.plays.changeMany(scope, allowed, (play: CommandedPlay) => {
      const decision = decideCommand(play, order.command, new Date(this.mongo.serverNow()));
      return decision.kind === 'write' ? { write: decision.write, entry: auditOf(caller, origin, play, order) } : null;
    });
    for (const { play, write } of changes) this.changes.written(play, write);
    return { changed: changes.length, skipped: heads.length - changes.length };
  }

  private async retrySome(caller: Principal, ids: readonly string[]): Promise<Tally> {
    const scope = new TenantScope(caller.companyId);
    const found = await this.plays.findMany(scope, ids);
    const allowed = await this.rights.permitted(caller, 'control', found);
    // a second call must not make second retries of the first one's plays
    const retried = await this.plays.retriedAmong(
      scope,
      allowed.map((play) => play._id),
    );
    const wanted = allowed.filter((play) => !retried.has(play._id));
    const accepted = await Promise.all(wanted.map((play) => this.retryOne(caller, play)));
    const changed = accepted.filter(Boolean).length;
    return { changed, skipped: found.length - changed };
  }

  private async retryOne(caller: Principal, play: Play): Promise<boolean> {
    try {
      await this.retries.retryPlay(caller, play);
      return true;
    } catch (error) {
      // what refuses one play (its state, its flow, its key, a full backlog) does not affect the others
      if (error instanceof WeftError && error.status < 500) return false;
      throw error;
    }
  }
}

type Change = (ids: readonly string[]) => Promise<Tally>;

function add(tally: Tally, more: Tally): void {
  tally.changed += more.changed;
  tally.skipped += more.skipped;
}
