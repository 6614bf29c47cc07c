import type { ClientSession, mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import { SignatureChecker, type AuditKeys } from './audit-key.js';
import { AUDIT_CHAINS, AUDIT_SEALS, type AuditChain, type AuditSeal } from './audit-chain.schema.js';
import { chainParts, signedChain } from './chain-proof.js';

type ChainFacts = Omit<AuditChain, 'mac'>;

/** The chain was signed under a key that this process does not have. A process with the newer secret continues it. */
export class AuditKeyUnknown extends Error {
  override readonly name = 'AuditKeyUnknown';
}

/**
 * Heads and checkpoints, for the code that moves them. A record that was changed from outside is not signed again: the break
 * is recorded instead.
 */
export class AuditChains {
  constructor(
    private readonly mongo: Mongo,
    private readonly keys: AuditKeys,
  ) {}

  /**
   * The chain as it is to be continued.
   *
   * @throws AuditKeyUnknown
   */
  async read(id: string, session: ClientSession): Promise<ChainFacts> {
    const stored = await this.chains().findOne({ _id: id }, { session });
    const newest = await this.seals().findOne({ chain: id }, { session, sort: { n: -1 } });
    if (stored) {
      const verdict = await new SignatureChecker(this.keys).check(String(stored.mac), chainParts(stored));
      if (verdict === 'unknown_key') throw new AuditKeyUnknown(`the key of the audit chain ${id} is not known here`);
      // a seal after the head would be an obstacle to the next one
      if (verdict === 'holds' && (newest?.n ?? 0) <= stored.n) return stored;
    }
    if (!stored && !newest) {
      return { _id: id, n: 0, seal: '', cut: { n: 0, into: 0, seal: '' }, brokenAt: null };
    }
    const n = Math.max(stored?.n ?? 0, newest?.n ?? 0);
    const cut = stored?.cut ?? { n: 0, into: 0, seal: '' };
    return { _id: id, n, seal: newest?.seal ?? '', cut, brokenAt: n + 1 };
  }

  async write(facts: ChainFacts, session: ClientSession): Promise<AuditChain> {
    const chain = signedChain(this.keys.current, facts);
    const { _id, ...body } = chain;
    await this.chains().replaceOne({ _id }, body, { upsert: true, session });
    return chain;
  }

  /** Of the installation and of all companies that ever had an entry. */
  chains(): mongo.Collection<AuditChain> {
    return this.mongo.collection<AuditChain>(AUDIT_CHAINS);
  }

  seals(): mongo.Collection<AuditSeal> {
    return this.mongo.collection<AuditSeal>(AUDIT_SEALS);
  }
}
