import type { DedupeRule, TriggerFields } from '@weft/records';
import { presetOf } from './signature-scheme.js';

/** Where the id of a delivery is looked for, the first place first. */
export function dedupeRulesOf({ dedupe, verifier }: Pick<TriggerFields, 'verifier' | 'dedupe'>): readonly DedupeRule[] {
  if (dedupe) return [dedupe];
  const { id_header } = verifier;
  return typeof id_header === 'string' ? [{ header: id_header }] : (presetOf(verifier.type)?.dedupe ?? []);
}
