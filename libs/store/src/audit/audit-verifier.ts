import type { mongo } from 'mongoose';
import type { Mongo, SnapshotRead } from '../driver/mongo.js';
import type { TenantScope } from '../scope.js';
import { SignatureChecker, type AuditKeys } from './audit-key.js';
import { AUDIT_CHAINS, AUDIT_SEALS, chainOf, type AuditChain, type AuditSeal } from './audit-chain.schema.js';
import { AUDIT_LOGS, UNSEALED, type AuditDocument } from './audit.schema.js';
import { chainParts, sealParts } from './chain-proof.js';
import { entryHolds } from './entry-proof.js';

const AT_ONCE = 500;
/** Entries that are compared at one point in time: long before MongoDB forgets how things were at it (5 minutes). */
const SEGMENT = 50_000;
/**
 * An entry that is this much older by MongoDB's clock than one sealed before it was put back after retention had deleted it.
 */
const BACK_MS = 24 * 3_600_000;

/** The answer of `GET /audit/verify`: docs/http-api.md §7. */
export interface AuditVerdict {
  readonly ok: boolean;
  /** Entries that were looked at until the first fault. */
  readonly checked: number;
  /** The entry that was changed, added or is missing; `seal:<n>` or `chain` when it is not an entry. Null when all is well. */
  readonly first_bad: string | null;
}

type Entries = AsyncIterator<AuditDocument>;

/** Up to where a log was compared: the number and the `seal` of the last seal. */
interface ChainPosition {
  readonly n: number;
  readonly seal: string;
}

/**
 * Reads a company's whole log in order and compares it with its seals, with flat memory. A long log is compared in segments, each
 * at one point in time and beginning at the seal that ended the one before; what retention cuts in between is gone on after.
 */
export class AuditVerifier {
  /** @param segment entries that are compared at one point in time, in whole seals */
  constructor(
    private readonly mongo: Mongo,
    private readonly keys: AuditKeys,
    private readonly segment = SEGMENT,
  ) {}

  async verify(scope: TenantScope | null): Promise<AuditVerdict> {
    const companyId = scope?.companyId ?? null;
    const checker = new SignatureChecker(this.keys);
    let found: Found = { fault: null, position: { n: 0, seal: '' }, checked: 0, newestMs: 0 };
    do {
      const before = found;
      found = await this.mongo.snapshot((at) =>
        new Segment(this.mongo, checker, companyId, at, before).compare(before.checked + this.segment),
      );
    } while (found.fault === null && found.position !== null);
    return { ok: found.fault === null, checked: found.checked, first_bad: found.fault };
  }
}

interface Found {
  readonly fault: string | null;
  /** Where the next segment begins; null: the log ends here. */
  readonly position: ChainPosition | null;
  readonly checked: number;
  /** The newest entry's time. */
  readonly newestMs: number;
}

class Segment {
  private checked: number;
  private newestMs: number;
  private next: ChainPosition | null = null;

  constructor(
    private readonly mongo: Mongo,
    private readonly checker: SignatureChecker,
    private readonly companyId: string | null,
    private readonly inSnapshot: () => SnapshotRead,
    private readonly before: Found,
  ) {
    ({ checked: this.checked, newestMs: this.newestMs } = before);
  }

  async compare(upTo: number): Promise<Found> {
    let fault = await this.sealed(upTo);
    if (fault === null && this.next === null) fault = await this.unsealed();
    return { fault, position: this.next, checked: this.checked, newestMs: this.newestMs };
  }

  private async sealed(upTo: number): Promise<string | null> {
    const id = chainOf(this.companyId);
    const chain = await this.mongo.collection<AuditChain>(AUDIT_CHAINS).findOne({ _id: id }, this.inSnapshot());
    if (chain && (await this.checker.check(String(chain.mac), chainParts(chain))) !== 'holds') return 'chain';
    const cut = chain?.cut ?? { n: 0, into: 0, seal: '' };
    const early = await this.entries({ seal: { $gt: UNSEALED, $lte: cut.n } }).next();
    if (early) return early._id;

    const position = this.before.position ?? { n: 0, seal: '' };
    const start = position.n > cut.n ? { ...position, into: 0 } : cut;
    const entries = this.entries({ seal: { $gt: start.n } })[Symbol.asyncIterator]();
    const seals = this.mongo
      .walked<AuditSeal>(AUDIT_SEALS)
      .find(
        { chain: id, ...(position.n > cut.n && { n: { $gt: position.n } }) },
        { ...this.inSnapshot(), batchSize: 10 },
      )
      .sort({ n: 1 });
    let [n, previous, skip] = [start.n, start.seal, start.into];
    for await (const seal of seals) {
      if (this.checked >= upTo) {
        this.next = { n, seal: previous };
        return null;
      }
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
    if (!(await entryHolds(entry, this.checker, this.mongo.serverNow()))) return false;
    const at = entry.timestamp.getTime();
    if (at < this.newestMs - BACK_MS) return false;
    this.newestMs = Math.max(this.newestMs, at);
    return true;
  }

  private entries(filter: mongo.Filter<AuditDocument>): mongo.FindCursor<AuditDocument> {
    return this.mongo
      .walked<AuditDocument>(AUDIT_LOGS)
      .find({ company_id: this.companyId, ...filter }, { ...this.inSnapshot(), batchSize: AT_ONCE })
      .sort({ seal: 1, _id: 1 });
  }
}
