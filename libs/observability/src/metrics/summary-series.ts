import { Series, type Descriptor, type Sample } from './series.js';

const QUANTILES = [0.5, 0.95, 0.99] as const;
const RECENT = 256;

/** Sum and count for ever, quantiles over the last 256 observations: constant memory, and one store per observation. */
export class SummaryRow {
  private readonly recent = new Float64Array(RECENT);
  private seen = 0;
  /** Counted here, but never in `recent`. */
  private older = 0;
  sum = 0;

  get count(): number {
    return this.seen + this.older;
  }

  observe(value: number): void {
    this.recent[this.seen % RECENT] = value;
    this.seen += 1;
    this.sum += value;
  }

  /** Adds what another row has counted; its recent observations become this row's. */
  absorb(other: SummaryRow): void {
    const kept = Math.min(other.seen, RECENT);
    const older = other.seen - kept;
    const sum = this.sum + other.sum;
    for (let i = 0; i < kept; i += 1) this.observe(other.recent[(older + i) % RECENT] as number);
    this.sum = sum;
    this.older += other.older + older;
  }

  quantiles(): readonly { readonly quantile: number; readonly value: number }[] {
    const sorted = this.recent.slice(0, Math.min(this.seen, RECENT)).sort();
    return QUANTILES.map((quantile) => ({
      quantile,
      value:
        sorted.length === 0 ? 0 : (sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))] as number),
    }));
  }
}

/**
 * A summary whose first label may be bounded: it keeps the `limit` most recently used values of that label and folds
 * the others into `other`, so that neither memory nor the page grows with the number of flows.
 */
export class SummarySeries extends Series<SummaryRow> {
  protected readonly type = 'summary';

  constructor(
    descriptor: Descriptor,
    private readonly limit = Infinity,
  ) {
    super(descriptor);
  }

  override row(...values: readonly string[]): SummaryRow {
    if (this.limit === Infinity) return super.row(...values);
    const key = values[0] as string;
    const known = this.rows.get(key);
    if (!known) return this.addBounded(key, values);
    this.rows.delete(key); // a map keeps the order of insertion: the first is the least recently used
    this.rows.set(key, known);
    return known.row;
  }

  protected newRow(): SummaryRow {
    return new SummaryRow();
  }

  protected samples(labels: Record<string, string>, row: SummaryRow): Sample[] {
    return [
      ...row.quantiles().map(({ quantile, value }) => ({ labels: { ...labels, quantile }, value })),
      { labels, value: row.sum, metricName: `${this.name}_sum` },
      { labels, value: row.count, metricName: `${this.name}_count` },
    ];
  }

  private addBounded(key: string, values: readonly string[]): SummaryRow {
    const other = this.rows.get(OTHER);
    if (this.rows.size - (other ? 1 : 0) >= this.limit) this.foldOldest(other?.row ?? this.addRow(OTHER, [OTHER]));
    return this.addRow(key, values);
  }

  private foldOldest(other: SummaryRow): void {
    for (const [key, { row }] of this.rows) {
      if (key === OTHER) continue;
      this.rows.delete(key);
      other.absorb(row);
      return;
    }
  }
}

const OTHER = 'other';
