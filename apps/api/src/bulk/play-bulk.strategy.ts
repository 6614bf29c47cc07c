import { Injectable } from '@nestjs/common';
import { reaches, type Principal } from '@weft/access';
import { identityOf, MemberSource } from '@weft/identity';
import { idFromBits, WeftError } from '@weft/kernel';
import { PlayCommandsRepository, TenantScope } from '@weft/store';
import { type BulkDocument, type BulkTally } from '@weft/records';
import { BulkEnd, BulkPause, type BulkStrategy } from '@weft/process';
import { createHash } from 'node:crypto';
import { BULK_BATCH, PlayBulkChanges } from '../plays/play-bulk-changes.js';
import type { BulkAction, BulkTarget } from '../plays/play-bulk.requests.js';

export const PLAYS_KIND = 'plays';

/** Until a full backlog is asked again. */
const BACKLOG_PAUSE_MS = 5_000;
/** Until it is seen whether a stopped company was resumed. */
const STOPPED_PAUSE_MS = 30_000;

/** Cancels or retries plays, newest first or in the order of the ids, with the rights that the starter has at that moment. */
@Injectable()
export class PlayBulkStrategy implements BulkStrategy {
  readonly kind = PLAYS_KIND;

  constructor(
    private readonly plays: PlayCommandsRepository,
    private readonly changes: PlayBulkChanges,
    private readonly members: MemberSource,
  ) {}

  batchOf({ action }: BulkDocument): number {
    return BULK_BATCH[action as BulkAction];
  }

  async next(bulk: BulkDocument, after: string | null, limit: number): Promise<readonly string[]> {
    const target = bulk.target as BulkTarget;
    if ('ids' in target) {
      const from = after === null ? 0 : target.ids.indexOf(after) + 1;
      return target.ids.slice(from, from + limit);
    }
    const { createdAt } = bulk;
    const filter = await this.changes.filterOf(await this.callerOf(bulk), bulk.action as BulkAction, target.filter);
    if (filter === null) return [];
    // frozen: what was accepted since the start is not meant, such as the retries that are made here
    const to = filter.to && filter.to < createdAt ? filter.to : createdAt;
    return this.plays.ids(new TenantScope(bulk.company_id), { ...filter, to }, after, limit);
  }

  async apply(bulk: BulkDocument, ids: readonly string[]): Promise<BulkTally> {
    const caller = await this.callerOf(bulk);
    const { address, requestId } = bulk.requestedBy;
    if (bulk.action === 'cancel') {
      return this.changes.cancel(caller, { address, requestId, userAgent: '' }, ids, bulk.createdAt);
    }
    const work = { retryIdOf: (playId: string) => retryIdOf(bulk, playId), waitsForRoom: true };
    return this.changes.retry(caller, ids, work).catch((error: unknown) => {
      if (error instanceof WeftError && error.status === 429) throw new BulkPause(BACKLOG_PAUSE_MS);
      throw error;
    });
  }

  /** @throws BulkEnd: the starter may not do this any more; BulkPause: the company is stopped */
  private async callerOf({ _id, company_id, requestedBy, createdAt }: BulkDocument): Promise<Principal> {
    const member = await this.members.find(company_id, requestedBy.userId);
    if (!member && (await this.members.isStopped(company_id))) throw new BulkPause(STOPPED_PAUSE_MS);
    const identity = member && identityOf(member);
    if (!identity || !reaches(identity.role, 'editor')) throw new BulkEnd('the starter is not an editor any more');
    const scopes = ['api', 'api:plays'] as const;
    return { ...identity, operator: false, auth: 'session', scopes, credentialId: _id, expiresAt: createdAt };
  }
}

/** One id for the retry of a play by a bulk operation: whoever makes it a second time makes nothing. */
function retryIdOf({ _id, createdAt }: BulkDocument, playId: string): string {
  const hash = createHash('sha256').update(`${_id} ${playId}`).digest('hex');
  return idFromBits((BigInt(createdAt.getTime()) << 48n) | BigInt(`0x${hash.slice(0, 12)}`));
}
