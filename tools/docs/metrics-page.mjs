// @ts-check
/** `docs/reference/metrics.md`, from the catalogue of metrics. */

/** @typedef {{ readonly type: string, readonly help: string, readonly labels: readonly string[], readonly buckets?: readonly number[], readonly boundedLabel?: string }} Metric */

const HEAD = `# Metrics

Written by \`npm run docs\` from \`libs/observability/src/metrics/catalog.ts\`; a spec compares the two.

Every process exposes its own measurements at \`/metrics\` in Prometheus' text format; a counter whose labels are known begins at 0, other metrics have values after the first measurement. The standalone app combines all
its processes into one page: it adds counters, histograms and amounts, takes the maximum of ages, shares and quantiles, and reports a part as healthy only if all its processes do. The quantiles of a summary (0.5, 0.95, 0.99)
cover the last 256 observations, its sum and count all of them. A label that names a flow or a company has rows for the 1,000 used last; the
others are counted together under \`other\`. The usual metrics of a Node process are available under the same prefix.`;

/**
 * @param {Readonly<Record<string, Metric>>} metrics
 * @param {string} prefix
 * @returns {string} Markdown, its table not yet aligned
 */
export function metricsPage(metrics, prefix) {
  const rows = Object.entries(metrics).map(([name, metric]) => row(prefix + name, metric));
  return [HEAD, '', '| metric | type | labels | |', '| --- | --- | --- | --- |', ...rows].join('\n') + '\n';
}

/** @param {string} name @param {Metric} metric */
function row(name, { type, help, labels, buckets }) {
  const shown = labels.map((label) => `\`${label}\``).join(', ');
  const bounds = buckets === undefined ? '' : ` (buckets ${buckets[0]} … ${buckets.at(-1)})`;
  return `| \`${name}\` | ${type}${bounds} | ${shown} | ${help} |`;
}
