import type { Compared, StoredDifference } from '@weft/records';

const MOST_DIFFERENCES = 1_000;
/** JSON of all changes together, in characters: the API is one document of MongoDB. */
const MOST_CHARS = 2 * 1024 * 1024;
/** What breaks first. */
const ORDER: readonly StoredDifference['result'][] = ['removed', 'breaking', 'changed', 'added'];

/** What is stored of a comparison: all counts, and as many differences as there is room for. */
export function outcomeOf(
  differences: readonly (StoredDifference & { readonly ofCurrent: boolean })[],
  dryRun: boolean,
): Compared {
  const counts = { added: 0, removed: 0, changed: 0, breaking: 0 };
  for (const { result, ofCurrent } of differences) if (ofCurrent) counts[result] += 1;
  let chars = 0;
  const listed = ORDER.flatMap((result) => differences.filter((each) => each.result === result))
    .slice(0, MOST_DIFFERENCES)
    .map(({ ofCurrent: _, ...each }) => {
      chars += JSON.stringify(each.changes).length;
      return chars <= MOST_CHARS ? each : { ...each, changes: [] };
    });
  return { dryRun, counts, differences: listed };
}
