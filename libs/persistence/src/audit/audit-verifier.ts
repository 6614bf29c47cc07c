import type { ClientSession, mongo } from 'mongoose';
import type { Mongo } from '../mongo.js';
import type { TenantScope } from '../scope.js';
import { SignatureChecker, type AuditKeys } from './audit-key.js';
import { AUDIT_CHAINS, AUDIT_SEALS, chainOf, type AuditChain, type AuditSeal } from './audit-chain.schema.js';
import { AUDIT_LOGS, UNSEALED, type AuditDocument } from './audit.schema.js';
import { chainParts, sealParts } from './chain-proof.js';
import { entryHolds } from './entry-proof.js';

const AT_ONCE = 500;

/** Contract §7. */
export interface AuditVerdict {
  readonly ok: boolean;
  /** Entries that were looked at until the first fault. */
  readonly checked: number;
  /** The entry that was changed, added or is missing; `seal:<n>` or `chain` when it is not an entry. Null when all is well. */
  readonly first_bad: string | null;
}

type Entries = AsyncIterator<AuditDocument>;

/** Reads a company's whole log in order and compares it with its seals, at one point in time and with flat memory. */
export class AuditVerifier {
  constructor(
    private readonly mongo: Mongo,
    private readonly keys: AuditKeys,
  ) {}

  async verify(scope: TenantScope | null): Promise<AuditVerdict> {
    const companyId = scope?.companyId ?? null;
    return this.mongo.snapshot(async (session) => new Verification(this.mongo, this.keys, companyId, session).run());
  }
}

class Verification {
  private readonly checker: SignatureChecker;
  private checked = 0;

  constructor(
    private readonly mongo: Mongo,
    keys: AuditKeys,
    private readonly companyId: string | null,
    private readonly session: ClientSession,
  ) {
    this.checker = new SignatureChecker(keys);
  }

  async run(): Promise<AuditVerdict> {
    const fault = (await this.sealed()) ?? (await this.unsealed());
    return { ok: fault === null, checked: this.checked, first_bad: fault };
  }

  private async sealed(): Promise<string | null> {
    const id = chainOf(this.companyId);
    const chain = await this.mongo.collection<AuditChain>(AUDIT_CHAINS).findOne({ _id: id }, this.inSnapshot());
    if (chain && (await this.checker.check(String(chain.mac), chainParts(chain))) !== 'holds') return 'chain';
    const cut = chain?.cut ?? { n: 0, into: 0, seal: '' };
    const before = await this.entries({ seal: { $gt: UNSEALED, $lte: cut.n } }).next();
    if (before) return before._id;

    const entries = this.entries({ seal: { $gt: cut.n } })[Symbol.asyncIterator]();
    const seals = this.mongo
      .collection<AuditSeal>(AUDIT_SEALS)
      .find({ chain: id }, { ...this.inSnapshot(), batchSize: 10 })
      .sort({ n: 1 });
    let [n, previous, skip] = [cut.n, cut.seal, cut.into];
    for await (const seal of seals) {
      n += 1;
      if (seal.n !== n || seal.previous !== previous || n > (chain?.n ?? 0)) return `seal:${n}`;
      if ((await this.checker.check(String(seal.seal), sealParts(seal))) !== 'holds') return `seal:${n}`;
      const fault = await this.membersOf(seal, skip, entries);
      if (fault !== null) return fault;
      [previous, skip] = [seal.seal, 0];
    }
    const more = await entries.next();
    if (!more.done) return more.value._id;
    if (n !== (chain?.n ?? 0) || previous !== (chain?.seal ?? '')) return `seal:${n + 1}`;
    return chain?.brokenAt == null ? null : `seal:${chain.brokenAt}`;
  }

  /** The entries of a seal are the next ones of the walk, all of them, and each is what was sealed. */
  private async membersOf(seal: AuditSeal, skip: number, entries: Entries): Promise<string | null> {
    for (const { id, mac } of seal.entries.slice(skip)) {
      const next = await entries.next();
      if (next.done) return id;
      const entry = next.value;
      const isExtra = entry.seal < seal.n || (entry.seal === seal.n && entry._id < id);
      if (isExtra) return entry._id;
      if (entry._id !== id || entry.seal !== seal.n || entry.mac !== mac || !(await this.holds(entry))) return id;
    }
    return null;
  }

  private async unsealed(): Promise<string | null> {
    for await (const entry of this.entries({ seal: UNSEALED })) if (!(await this.holds(entry))) return entry._id;
    const other = await this.entries({ $nor: [{ seal: { $gte: UNSEALED } }] }).next();
    return other?._id ?? null;
  }

  private async holds(entry: AuditDocument): Promise<boolean> {
    this.checked += 1;
    return entryHolds(entry, this.checker, this.mongo.serverNow());
  }

  private entries(filter: mongo.Filter<AuditDocument>): mongo.FindCursor<AuditDocument> {
    return this.mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .find({ company_id: this.companyId, ...filter }, { ...this.inSnapshot(), batchSize: AT_ONCE })
      .sort({ seal: 1, _id: 1 });
  }

  private inSnapshot() {
    return { session: this.session } as const;
  }
}
