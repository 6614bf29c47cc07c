import type { Compared, StoredDifference } from '@weft/records';

const MOST_DIFFERENCES = 1_000;
/** JSON of all changes together, in characters: the API is one document of MongoDB. */
const MOST_CHARS = 2 * 1024 * 1024;
type Result = StoredDifference['result'];
/** What breaks first. */
const ORDER: readonly Result[] = ['removed', 'breaking', 'changed', 'added'];

/** What is stored of a comparison: all counts, and as many differences as there is room for. */
export class RefreshFindings {
  private readonly counts: Record<Result, number> = { added: 0, removed: 0, changed: 0, breaking: 0 };
  /** No more than are stored, whatever else is found: each may have hundreds of changes. */
  private readonly kept: Record<Result, StoredDifference[]> = { added: [], removed: [], changed: [], breaking: [] };

  add(difference: StoredDifference, ofCurrent: boolean): void {
    const { result } = difference;
    if (ofCurrent) this.counts[result] += 1;
    if (this.kept[result].length < MOST_DIFFERENCES) this.kept[result].push(difference);
  }

  end(dryRun: boolean): Compared {
    let chars = 0;
    const differences = ORDER.flatMap((result) => this.kept[result])
      .slice(0, MOST_DIFFERENCES)
      .map((each) => {
        chars += JSON.stringify(each.changes).length;
        return chars <= MOST_CHARS ? each : { ...each, changes: [] };
      });
    return { dryRun, counts: this.counts, differences };
  }
}
