import { CounterSeries, type CounterRow, type Descriptor } from './series.js';

/** The value of a bounded label for those that have no row of their own. */
export const OTHER = 'other';
const SEPARATOR = '\u0000';

/**
 * Counters with one bounded label: its `limit` most recently used values have rows of their own, the counts of the others
 * are added up in `other`.
 */
export class BoundedCounterSeries extends CounterSeries {
  /** The labels of the rows of each value, the least recently used value first. */
  private readonly recent = new Map<string, string[][]>();

  constructor(
    descriptor: Descriptor,
    private readonly limit: number,
    /** Which label. */
    private readonly at = 0,
  ) {
    super(descriptor);
  }

  override row(...values: readonly string[]): CounterRow {
    const bounded = values[this.at] ?? '';
    if (bounded === OTHER) return super.row(...values);
    const known = this.recent.get(bounded) ?? [];
    this.recent.delete(bounded);
    this.recent.set(bounded, known);
    if (!this.rows.has(values.join(SEPARATOR))) known.push([...values]);
    if (this.recent.size > this.limit) this.foldOldest();
    return super.row(...values);
  }

  private foldOldest(): void {
    for (const [bounded, rows] of this.recent) {
      for (const values of rows) {
        super.row(...values.with(this.at, OTHER)).add(super.row(...values).value);
        this.rows.delete(values.join(SEPARATOR));
      }
      this.recent.delete(bounded);
      return;
    }
  }
}
