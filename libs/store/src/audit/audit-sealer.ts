import type { ClientSession, mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { SystemScope } from '../scope.js';
import { AuditChains } from './audit-chains.js';
import type { AuditKeys } from './audit-key.js';
import { chainOf, type AuditChain } from './audit-chain.schema.js';
import { AUDIT_LOGS, UNSEALED, UNSEALED_ENTRIES, type AuditDocument } from './audit.schema.js';
import { newSeal } from './chain-proof.js';

/** The most entries of one seal. */
const BATCH = 500;

/**
 * Takes the entries that no seal holds into the next one of their company. What counts is that an entry has no seal, not when
 * it was made: one whose transaction commits late, with an id from before entries that are sealed already, comes into a later
 * seal, and none comes into two. Any number of sealers may run: the head of a chain is moved by one transaction at a time.
 */
export class AuditSealer {
  private readonly chains: AuditChains;

  constructor(
    private readonly mongo: Mongo,
    private readonly keys: AuditKeys,
  ) {
    this.chains = new AuditChains(mongo, keys);
  }

  /**
   * One pass over all companies, a batch of each in turn.
   *
   * @param onHead called with each new head, after its transaction. A copy of the heads elsewhere can prove a later
   * truncation
   * @param onFault called for each company whose chain could not be continued; the others are
   * @returns entries sealed
   */
  async sealAll(
    _scope: SystemScope,
    onHead: (chain: AuditChain, entries: number) => void,
    onFault: (chain: string, error: unknown) => void,
  ): Promise<number> {
    let sealed = 0;
    const due = await this.unsealedCompanies();
    for (let companyId = due.shift(); companyId !== undefined; companyId = due.shift()) {
      try {
        const batch = await this.sealNext(companyId);
        if (!batch) continue;
        sealed += batch.entries;
        onHead(batch.chain, batch.entries);
        // one with many has its next turn after the others
        if (batch.entries === BATCH) due.push(companyId);
      } catch (error) {
        onFault(chainOf(companyId), error);
      }
    }
    return sealed;
  }

  private sealNext(companyId: string | null) {
    return this.mongo.transaction((session) => this.sealBatch(companyId, session));
  }

  private async unsealedCompanies(): Promise<(string | null)[]> {
    const found = await this.entries()
      .aggregate<{ readonly _id: string | null }>(
        [{ $match: { seal: UNSEALED } }, { $group: { _id: '$company_id' } }],
        // without a condition on its first field MongoDB would read the whole log instead
        { hint: UNSEALED_ENTRIES },
      )
      .toArray();
    return found.map(({ _id }) => _id);
  }

  private async sealBatch(
    companyId: string | null,
    session: ClientSession,
  ): Promise<{ readonly chain: AuditChain; readonly entries: number } | null> {
    const entries = await this.entries()
      .find({ company_id: companyId, seal: UNSEALED }, { session, projection: { mac: 1 } })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    if (entries.length === 0) return null;
    const chain = await this.chains.read(chainOf(companyId), session);
    const n = chain.n + 1;
    const seal = newSeal(this.keys.current, {
      chain: chain._id,
      n,
      previous: chain.seal,
      entries: entries.map(({ _id, mac }) => ({ id: _id, mac })),
      sealedAt: new Date(this.mongo.serverNow()),
    });
    await this.chains.seals().insertOne(seal, { session });
    const { modifiedCount } = await this.entries().updateMany(
      { _id: { $in: entries.map(({ _id }) => _id) }, seal: UNSEALED },
      { $set: { seal: n } },
      { session },
    );
    if (modifiedCount < entries.length) throw new Error('an entry was sealed within the transaction that had read it');
    return { chain: await this.chains.write({ ...chain, n, seal: seal.seal }, session), entries: entries.length };
  }

  private entries(): mongo.Collection<AuditDocument> {
    return this.mongo.collection<AuditDocument>(AUDIT_LOGS);
  }
}
