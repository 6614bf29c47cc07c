import type { ClientSession, mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { TenantScope } from '../scope.js';
import { AuditChains } from './audit-chains.js';
import { chainOf, type AuditCut } from './audit-chain.schema.js';
import { forgetCounts } from './audit-counts.js';
import type { AuditKeys } from './audit-key.js';
import { AUDIT_LOGS, UNSEALED, type AuditDocument } from './audit.schema.js';

export interface AuditCutRequest {
  /** Only entries older than this … */
  readonly before: Date;
  /** … and never the newest ones of the company, this many. */
  readonly keep: number;
  /** The most entries that are deleted in one transaction. */
  readonly limit: number;
  /** Runs in the transaction of the deletion. */
  readonly also?: (session: ClientSession, deleted: number) => Promise<void>;
}

type Position = Pick<AuditDocument, '_id' | 'seal' | 'timestamp'>;

const POSITION = { seal: 1, timestamp: 1 } as const;

/**
 * Retention's way to delete audit entries: the oldest sealed ones, in the order of the seals, with a signed checkpoint from
 * which the rest can still be verified. Entries that are not sealed yet stay until they are.
 */
export class AuditCutter {
  private readonly chains: AuditChains;

  constructor(
    private readonly mongo: Mongo,
    keys: AuditKeys,
  ) {
    this.chains = new AuditChains(mongo, keys);
  }

  /**
   * Deletes one batch in one transaction.
   *
   * @param scope null: the log of what belongs to no company
   * @returns entries deleted; less than `limit` when no more are due
   * @throws AuditKeyUnknown
   */
  async cut(scope: TenantScope | null, request: AuditCutRequest): Promise<number> {
    const companyId = scope?.companyId ?? null;
    return this.mongo.transaction(async (session) => {
      const due = await this.due(companyId, request, session);
      const last = due.at(-1);
      if (!last) return 0;
      const chain = await this.chains.read(chainOf(companyId), session);
      const { deletedCount } = await this.entries().deleteMany(
        { _id: { $in: due.map(({ _id }) => _id) } },
        { session },
      );
      if (deletedCount < due.length) throw new Error('an entry went within the transaction that had read it');
      const cut = await this.cutAt(chain._id, last, session);
      await this.chains.seals().deleteMany({ chain: chain._id, n: { $lte: cut.n } }, { session });
      const brokenAt = chain.brokenAt !== null && chain.brokenAt <= cut.n ? null : chain.brokenAt;
      await this.chains.write({ ...chain, cut, brokenAt }, session);
      await forgetCounts(this.mongo, companyId, session);
      await request.also?.(session, deletedCount);
      return deletedCount;
    });
  }

  private async due(
    companyId: string | null,
    { before, keep, limit }: AuditCutRequest,
    session: ClientSession,
  ): Promise<Position[]> {
    const ofCompany = { company_id: companyId };
    const unsealed = await this.entries().countDocuments(
      { ...ofCompany, seal: UNSEALED },
      { session, limit: keep || 1 },
    );
    const kept = Math.max(0, keep - unsealed);
    const sealed = { ...ofCompany, seal: { $gt: UNSEALED } };
    const [firstKept] =
      kept === 0
        ? []
        : await this.entries()
            .find(sealed, { session, projection: POSITION })
            .sort({ seal: -1, _id: -1 })
            .skip(kept - 1)
            .limit(1)
            .toArray();
    if (kept > 0 && !firstKept) return [];
    const oldest = await this.entries()
      .find(sealed, { session, projection: POSITION })
      .sort({ seal: 1, _id: 1 })
      .limit(limit)
      .toArray();
    const end = oldest.findIndex((entry) => entry.timestamp >= before || (firstKept && !isBefore(entry, firstKept)));
    return end === -1 ? oldest : oldest.slice(0, end);
  }

  private async cutAt(chain: string, last: Position, session: ClientSession): Promise<AuditCut> {
    const seal = await this.chains.seals().findOne({ chain, n: last.seal }, { session });
    const into = (seal?.entries.findIndex(({ id }) => id === last._id) ?? -1) + 1;
    if (seal && into > 0 && into < seal.entries.length) return { n: last.seal - 1, into, seal: seal.previous };
    const next = seal ? null : await this.chains.seals().findOne({ chain, n: last.seal + 1 }, { session });
    return { n: last.seal, into: 0, seal: seal?.seal ?? next?.previous ?? '' };
  }

  private entries(): mongo.Collection<AuditDocument> {
    return this.mongo.collection<AuditDocument>(AUDIT_LOGS);
  }
}

function isBefore(one: Position, other: Position): boolean {
  return one.seal === other.seal ? one._id < other._id : one.seal < other.seal;
}
