// @ts-check
/** @typedef {import('../parts/leg.mjs').LegResult} LegResult */
/** @typedef {import('../parts/leg.mjs').Measured} Measured */

/** The figures of one measured phase that go into tables. @param {Measured} phase */
export function figuresOf({ unit, completed, completeMs, cpu, load, memory }) {
  const plays = unit === 'completed' ? completed : load.acceptedInWindow;
  const perPlay = (/** @type {number | null} */ us) => (us === null || plays === 0 ? null : us / plays);
  return {
    playsPerSecond: plays / cpu.seconds,
    hostUsPerPlay: perPlay(cpu.hostUs),
    oursUsPerPlay: perPlay(cpu.oursUs),
    usPerPlay: Object.fromEntries(Object.entries(cpu.processUs).map(([name, us]) => [name, perPlay(us)])),
    /** Share of all CPU time that neither the system nor the bench used: the disturbance by other work. */
    foreignShare: cpu.hostUs === null ? null : Math.max(0, cpu.hostUs - cpu.oursUs) / cpu.availableUs,
    busyShare: cpu.hostUs === null ? null : cpu.hostUs / cpu.availableUs,
    acceptP50Ms: load.acceptMs?.p50 ?? null,
    acceptP99Ms: load.acceptMs?.p99 ?? null,
    completeP50Ms: completeMs?.p50 ?? null,
    completeP99Ms: completeMs?.p99 ?? null,
    apiMb: memory.api?.now ?? null,
    workerMb: memory.worker?.now ?? null,
  };
}

/** @typedef {ReturnType<typeof figuresOf>} Figures */

/**
 * Per row of the table and system: the median of each number over the pairs; and the ratios of the product to each other
 * system, each the median of the pairs' own ratios, so that a disturbance of one pair affects only that pair.
 * @param {readonly LegResult[]} legs
 */
export function summarize(legs) {
  /** @type {Map<string, Map<string, Map<number, Figures>>>} row → system → pair */
  const rows = new Map();
  for (const leg of legs) {
    for (const phase of leg.phases) {
      const row = rows.get(phase.name) ?? rows.set(phase.name, new Map()).get(phase.name);
      const pairs = row?.get(leg.system) ?? row?.set(leg.system, new Map()).get(leg.system);
      pairs?.set(leg.pair, figuresOf(phase));
    }
  }
  return [...rows].map(([name, systems]) => {
    const medians = Object.fromEntries(
      [...systems].map(([system, pairs]) => [system, medianFigures([...pairs.values()])]),
    );
    const product = systems.get('product');
    const floors = [...systems.keys()].filter((system) => system !== 'product');
    const to = product ? Object.fromEntries(floors.map((floor) => [floor, ratios(product, systems.get(floor))])) : {};
    return { name, systems: medians, ratios: to };
  });
}

/** @typedef {ReturnType<typeof summarize>[number]} Row */

/** @param {Map<number, Figures>} product @param {Map<number, Figures> | undefined} floor */
function ratios(product, floor) {
  const of = (/** @type {'playsPerSecond' | 'hostUsPerPlay' | 'oursUsPerPlay'} */ figure) =>
    median([...product].map(([pair, figures]) => quotient(figures[figure], floor?.get(pair)?.[figure] ?? null)));
  return {
    playsPerSecond: of('playsPerSecond'),
    hostUsPerPlay: of('hostUsPerPlay'),
    oursUsPerPlay: of('oursUsPerPlay'),
  };
}

/** @param {readonly Figures[]} all @returns {Figures} */
function medianFigures(all) {
  const first = /** @type {Figures} */ (all[0]);
  const pick = (/** @type {keyof Figures} */ key) =>
    median(all.map((figures) => /** @type {number | null} */ (figures[key])));
  const usPerPlay = Object.fromEntries(
    Object.keys(first.usPerPlay).map((name) => [name, median(all.map((figures) => figures.usPerPlay[name] ?? null))]),
  );
  const keys = /** @type {(keyof Figures)[]} */ (Object.keys(first)).filter((key) => key !== 'usPerPlay');
  return /** @type {Figures} */ ({ ...Object.fromEntries(keys.map((key) => [key, pick(key)])), usPerPlay });
}

/** @param {readonly (number | null)[]} values @returns {number | null} */
export function median(values) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? null) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** @param {number | null} a @param {number | null} b */
function quotient(a, b) {
  return a === null || b === null || b === 0 ? null : a / b;
}
