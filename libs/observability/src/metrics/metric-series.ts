import { Gauge, Registry } from 'prom-client';
import { BoundedCounterSeries, OTHER } from './bounded-counter-series.js';
import { METRICS, METRIC_PREFIX, type MetricName, type MetricRow } from './catalog.js';
import { CounterSeries, HistogramSeries } from './series.js';
import { SummarySeries } from './summary-series.js';

export type NameOf<T extends MetricRow['type']> = {
  [N in MetricName]: (typeof METRICS)[N] extends { type: T } ? N : never;
}[MetricName];

/** One series for each row of the catalogue, found by its name. */
export class MetricSeries {
  readonly registry = new Registry();
  private readonly series = new Map<string, CounterSeries | HistogramSeries | SummarySeries | Gauge>();

  /** @param flowLabels how many values a bounded label may have, the most recently used */
  constructor(flowLabels: number) {
    for (const [name, row] of Object.entries<MetricRow>(METRICS)) this.register(name, row, flowLabels);
  }

  private register(name: string, row: MetricRow, flowLabels: number): void {
    const descriptor = { name: METRIC_PREFIX + name, help: row.help, labels: row.labels };
    const made = makeSeries(row, descriptor, row.boundedLabel ? flowLabels : Infinity);
    this.series.set(name, made);
    this.registry.registerMetric(made as Gauge); // the registry asks a metric for `name` and `get()`, which all have
    if (row.type === 'counter') for (const labels of knownLabels(row)) (made as CounterSeries).row(...labels);
  }

  protected counter(name: NameOf<'counter'>): CounterSeries {
    return this.series.get(name) as CounterSeries;
  }
  protected histogram(name: NameOf<'histogram'>): HistogramSeries {
    return this.series.get(name) as HistogramSeries;
  }
  protected summary(name: NameOf<'summary'>): SummarySeries {
    return this.series.get(name) as SummarySeries;
  }
  protected gauge(name: NameOf<'gauge'>): Gauge {
    return this.series.get(name) as Gauge;
  }
}

/** The rows that a counter shows from the start. */
function knownLabels({ labels, values = {}, boundedLabel }: MetricRow): readonly (readonly string[])[] {
  const choices = labels.map((label) => (label === boundedLabel ? [OTHER] : (values[label] ?? [])));
  return choices.reduce<readonly (readonly string[])[]>(
    (rows, choice) => rows.flatMap((row) => choice.map((value) => [...row, value])),
    [[]],
  );
}

function makeSeries(
  row: MetricRow,
  descriptor: { name: string; help: string; labels: readonly string[] },
  limit: number,
): CounterSeries | HistogramSeries | SummarySeries | Gauge {
  switch (row.type) {
    case 'counter':
      return limit === Infinity
        ? new CounterSeries(descriptor)
        : new BoundedCounterSeries(descriptor, limit, row.labels.indexOf(row.boundedLabel ?? ''));
    case 'histogram':
      return new HistogramSeries(descriptor, row.buckets ?? []);
    case 'summary':
      return new SummarySeries(descriptor, limit);
    case 'gauge':
      return newGauge(row, descriptor);
  }
}

/** Without a value until one is set: a process that does not measure has no value, which differs from 0. */
function newGauge(row: MetricRow, { name, help }: { name: string; help: string }): Gauge {
  const gauge = new Gauge({ name, help, labelNames: [...row.labels], registers: [] });
  if (row.labels.length === 0) gauge.remove(); // the library begins with 0
  return gauge;
}
