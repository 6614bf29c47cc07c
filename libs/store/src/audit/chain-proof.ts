import { sign, type AuditKey } from './audit-key.js';
import type { AuditChain, AuditSeal } from './audit-chain.schema.js';

export function sealParts({ chain, n, previous, entries, sealedAt }: Omit<AuditSeal, '_id' | 'seal'>): unknown[] {
  return ['seal', chain, n, previous, entries.map(({ id, mac }) => [id, mac]), sealedAt.getTime()];
}

export function chainParts({ _id, n, seal, cut, brokenAt }: Omit<AuditChain, 'mac'>): unknown[] {
  return ['chain', _id, n, seal, cut.n, cut.into, cut.seal, brokenAt];
}

export function newSeal(key: AuditKey, facts: Omit<AuditSeal, '_id' | 'seal'>): AuditSeal {
  return { _id: `${facts.chain}:${facts.n}`, ...facts, seal: sign(key, sealParts(facts)) };
}

export function signedChain(key: AuditKey, facts: Omit<AuditChain, 'mac'>): AuditChain {
  return { ...facts, mac: sign(key, chainParts(facts)) };
}
