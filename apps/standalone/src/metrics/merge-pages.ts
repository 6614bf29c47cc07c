/**
 * Combines the Prometheus pages of several processes into one, without a label that distinguishes them (docs/http-api.md §8).
 * Counters, histograms and amounts are added. Of ages, shares and quantiles the maximum counts, because an average would say
 * nothing about any process. A part is healthy if it is healthy in all of them.
 */
export function mergePages(pages: readonly string[]): string {
  const families = new Map<string, Family>();
  for (const page of pages) readInto(families, page);
  return [...families.values()].map(writeFamily).join('\n');
}

interface Family {
  readonly name: string;
  readonly head: readonly string[];
  readonly type: string;
  /** `name{labels}` → value, in order of first appearance. */
  readonly samples: Map<string, number>;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)( \d+)?$/;
/** Gauges that several processes may show for the same thing, or that cannot be added. */
const LARGEST =
  /(_seconds|_utilization|_seconds_until|_run_window|_backlog_plays|_running_plays|_label_workers|_build_info)$/;
const SMALLEST = 'weft_health';

function readInto(families: Map<string, Family>, page: string): void {
  let head: string[] = [];
  let family: Family | undefined;
  for (const line of page.split('\n')) {
    if (line.startsWith('# HELP ')) head = [line];
    else if (line.startsWith('# TYPE ')) {
      const [, , name = '', type = 'untyped'] = line.split(' ');
      family = families.get(name) ?? { name, type, head: [...head, line], samples: new Map<string, number>() };
      families.set(name, family);
    } else if (family !== undefined) add(family, line);
  }
}

function add(family: Family, line: string): void {
  const [, name, labels = '', text = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined) return;
  const key = `${name}${labels}`;
  const value = numberOf(text);
  const known = family.samples.get(key);
  family.samples.set(key, known === undefined ? value : combine(family, name, labels, known, value));
}

function combine(family: Family, name: string, labels: string, a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  const isQuantile = family.type === 'summary' && name === family.name && labels.includes('quantile=');
  if (family.type === 'gauge' && name === SMALLEST) return Math.min(a, b);
  const isLargest = isQuantile || (family.type === 'gauge' && LARGEST.test(name));
  return isLargest ? Math.max(a, b) : a + b;
}

function writeFamily({ head, samples }: Family): string {
  return [...head, ...[...samples].map(([key, value]) => `${key} ${textOf(value)}`), ''].join('\n');
}

function numberOf(text: string): number {
  if (text === '+Inf') return Infinity;
  if (text === '-Inf') return -Infinity;
  return Number(text);
}

function textOf(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}
