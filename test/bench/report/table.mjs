// @ts-check
/** @typedef {import('./summary.mjs').Row} Row */

const CPU_ORDER = ['api', 'worker', 'scheduler', 'mongod', 'redis', 'target', 'load'];

/** The whole result as text. @param {readonly Row[]} rows */
export function renderSummary(rows) {
  return rows.map(renderRow).join('\n');
}

/** @param {Row} row */
function renderRow({ name, systems, ratios }) {
  const names = Object.keys(systems);
  const present = CPU_ORDER.filter((process) => names.some((system) => systems[system]?.usPerPlay[process] != null));
  const head = [
    '',
    'plays/s',
    'CPU µs/play host',
    'ours',
    ...present,
    'accept p50',
    'p99 ms',
    'done p50',
    'p99 ms',
    'api MB',
    'worker MB',
    'others',
  ];
  const lines = names.map((system) => {
    const figures = systems[system];
    if (figures === undefined) return [system];
    return [
      system,
      whole(figures.playsPerSecond),
      whole(figures.hostUsPerPlay),
      whole(figures.oursUsPerPlay),
      ...present.map((process) => whole(figures.usPerPlay[process] ?? null)),
      fine(figures.acceptP50Ms),
      fine(figures.acceptP99Ms),
      whole(figures.completeP50Ms),
      whole(figures.completeP99Ms),
      whole(figures.apiMb),
      whole(figures.workerMb),
      percent(figures.foreignShare),
    ];
  });
  for (const [floor, of] of Object.entries(ratios)) {
    lines.push([`product / ${floor}`, ratio(of.playsPerSecond), ratio(of.hostUsPerPlay), ratio(of.oursUsPerPlay)]);
  }
  return `\n${name}\n${align([head, ...lines])}`;
}

/** @param {readonly (readonly string[])[]} table */
function align(table) {
  const widths = (table[0] ?? []).map((_cell, column) => Math.max(...table.map((line) => (line[column] ?? '').length)));
  return table
    .map((line) =>
      line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .join('\n');
}

const whole = (/** @type {number | null} */ value) => (value === null ? '–' : Math.round(value).toLocaleString('en'));
const fine = (/** @type {number | null} */ value) => (value === null ? '–' : value.toFixed(1));
const ratio = (/** @type {number | null} */ value) => (value === null ? '–' : value.toFixed(2));
const percent = (/** @type {number | null} */ value) => (value === null ? '–' : `${(100 * value).toFixed(0)} %`);
