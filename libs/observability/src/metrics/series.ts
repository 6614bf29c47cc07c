/** One sample as prom-client's registry prints it. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** When it differs from the metric's: `_sum`, `_count`, `_bucket`. */
  readonly metricName?: string;
}

export interface Descriptor {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/**
 * The values of one metric by its labels. prom-client sorts and hashes the labels at every observation, which the run
 * path would pay several times a play; here a row is found once and kept (`row(...)` is one map look-up).
 */
export abstract class Series<Row> {
  protected readonly rows = new Map<string, { readonly labels: Record<string, string>; readonly row: Row }>();

  constructor(protected readonly descriptor: Descriptor) {}

  get name(): string {
    return this.descriptor.name;
  }

  /** @param values one for each label, in the catalogue's order */
  row(...values: readonly string[]): Row {
    const key = values.length === 1 ? (values[0] as string) : values.join('\u0000');
    return this.rows.get(key)?.row ?? this.addRow(key, values);
  }

  protected abstract newRow(): Row;
  protected abstract samples(labels: Record<string, string>, row: Row): Sample[];
  protected abstract readonly type: string;

  /** What prom-client's registry requires of a metric. */
  get(): Promise<{ name: string; help: string; type: string; aggregator: 'sum'; values: Sample[] }> {
    const values = [...this.rows.values()].flatMap(({ labels, row }) => this.samples(labels, row));
    return Promise.resolve({ ...this.descriptor, type: this.type, aggregator: 'sum', values });
  }

  protected addRow(key: string, values: readonly string[]): Row {
    const labels: Record<string, string> = {};
    this.descriptor.labels.forEach((label, i) => (labels[label] = values[i] ?? ''));
    const row = this.newRow();
    this.rows.set(key, { labels, row });
    return row;
  }
}

export class CounterRow {
  value = 0;
  add(amount = 1): void {
    this.value += amount;
  }
}

export class CounterSeries extends Series<CounterRow> {
  protected readonly type = 'counter';
  protected newRow(): CounterRow {
    return new CounterRow();
  }
  protected samples(labels: Record<string, string>, row: CounterRow): Sample[] {
    return [{ labels, value: row.value }];
  }
}

export class HistogramRow {
  readonly counts: Float64Array;
  sum = 0;
  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }
  observe(value: number): void {
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] as number)) i += 1;
    this.counts[i] = (this.counts[i] as number) + 1;
    this.sum += value;
  }
}

export class HistogramSeries extends Series<HistogramRow> {
  protected readonly type = 'histogram';
  constructor(
    descriptor: Descriptor,
    private readonly bounds: readonly number[],
  ) {
    super(descriptor);
  }
  protected newRow(): HistogramRow {
    return new HistogramRow(this.bounds);
  }
  protected samples(labels: Record<string, string>, row: HistogramRow): Sample[] {
    let count = 0;
    const buckets = [...this.bounds, '+Inf'].map((le, i) => {
      count += row.counts[i] as number;
      return { labels: { ...labels, le }, value: count, metricName: `${this.name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: row.sum, metricName: `${this.name}_sum` },
      { labels, value: count, metricName: `${this.name}_count` },
    ];
  }
}
