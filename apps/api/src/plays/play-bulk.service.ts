import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { PlayCommandsRepository, TenantScope } from '@weft/store';
import type { RequestOrigin } from '../http/request-origin.js';
import { BULK_BATCH, PlayBulkChanges } from './play-bulk-changes.js';
import { RunService } from './run/run.service.js';
import { bulkTarget, type BulkAction, type BulkBody, type BulkFilter, type BulkTarget } from './play-bulk.requests.js';

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

/** Cancels or retries many plays, each under the rules that hold for it alone. What cannot be changed is skipped. */
@Injectable()
export class PlayBulkService {
  constructor(
    private readonly plays: PlayCommandsRepository,
    private readonly some: PlayBulkChanges,
    private readonly runs: RunService,
  ) {}

  /** @throws WeftError `empty_filter`, `invalid_body` */
  async carryOut(caller: Principal, origin: RequestOrigin, body: BulkBody): Promise<BulkAnswer> {
    const { action, dryRun = false } = body;
    const asked = bulkTarget(body);
    if (dryRun) return { matched: await this.countMatching(caller, action, asked), changed: 0, skipped: 0 };
    const target = await this.readable(caller, asked);
    const retryIds = new Map<string, string>();
    const retryIdOf = (playId: string) => {
      const retryId = retryIds.get(playId) ?? this.runs.nextPlayId();
      retryIds.set(playId, retryId);
      return retryId;
    };
    const change =
      action === 'cancel'
        ? (some: readonly string[]) => this.some.cancel(caller, origin, some)
        : (some: readonly string[]) => this.some.retry(caller, some, { retryIdOf, waitsForRoom: false });
    const batch = BULK_BATCH[action];
    return 'ids' in target
      ? this.changeNamed(target.ids, batch, change)
      : this.changeMatching(caller, action, target.filter, batch, change);
  }

  /** The target with those of its ids that the caller may read. */
  async readable(caller: Principal, target: BulkTarget): Promise<BulkTarget> {
    return 'ids' in target ? { ids: await this.some.readable(caller, target.ids) } : target;
  }

  /** How many plays the target names, counted up to `most`. */
  async countMatching(caller: Principal, action: BulkAction, target: BulkTarget, most = MAX_MATCHED): Promise<number> {
    if ('ids' in target) return (await this.some.readable(caller, target.ids)).length;
    const filter = await this.some.filterOf(caller, action, target.filter);
    return filter === null ? 0 : this.plays.count(new TenantScope(caller.companyId), filter, most);
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
    const filter = await this.some.filterOf(caller, action, texts);
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
}

type Change = (ids: readonly string[]) => Promise<Tally>;

function add(tally: Tally, more: Tally): void {
  tally.changed += more.changed;
  tally.skipped += more.skipped;
}
