import type { components } from '@weft/client';
import { scopeWords } from './policy';

type Previewed = components['schemas']['RetentionPreview']['items'][number];
type Item = Pick<Previewed, 'collection' | 'scope' | 'would_delete'> & Partial<Pick<Previewed, 'capped'>>;

/** What the cleanup would delete of one kind of entry, by the policies as they are stored and with the one that is tried. */
export interface Effect {
  readonly what: string;
  readonly stored: number;
  readonly tried: number;
  /** One of the two may be more: then it is not known whether they differ. */
  readonly isCapped?: true;
}

/** All rules for plays count together, because a policy for a flow takes its plays from the others. */
function kindOf({ collection, scope }: Item): string {
  return collection === 'flows' ? (scope ?? collection) : collection;
}

/** The collection that `audit` governs has another name; the others are called as their scopes. */
function wordsOf(kind: string): string {
  const scope = kind === 'audit_logs' ? 'audit' : kind;
  return scopeWords(scope) ?? kind;
}

/** Where the policy that is tried makes a difference, or may make one. */
export function effectsOf(stored: readonly Item[], tried: readonly Item[]): readonly Effect[] {
  const kinds = [...new Set([...stored, ...tried].map(kindOf))];
  const sumOf = (items: readonly Item[], kind: string): number =>
    items.filter((item) => kindOf(item) === kind).reduce((sum, { would_delete }) => sum + would_delete, 0);
  return kinds
    .map((kind): Effect => {
      const isCapped = [...stored, ...tried].some((item) => kindOf(item) === kind && item.capped);
      const effect = { what: wordsOf(kind), stored: sumOf(stored, kind), tried: sumOf(tried, kind) };
      return { ...effect, ...(isCapped && { isCapped }) };
    })
    .filter((effect) => effect.stored !== effect.tried || effect.isCapped);
}
