// @ts-check
/** @typedef {import('./asker.mjs').Answered} Answered */

const WIDE = 44;
/** A cost that grows with the collection is at least this many times as large with ten times the plays. */
const GROWS = 2;
/** Below, a difference says nothing. */
const NOTICED_MS = 20;
const NOTICED_READ = 25_000;

/** @param {readonly (readonly [string, Answered])[]} rows @param {number} plays */
export function renderAnswers(rows, plays) {
  const head = ['', 'first', 'p50', 'p95', 'max ms', 'keys', 'docs', 'items', ''];
  const lines = rows.map(([name, { firstMs, p50, p95, max, keys, docs, items, status, plans }]) => {
    const figures = [firstMs, p50, p95, max].map((ms) => ms.toFixed(1).padStart(9));
    const reads = [keys, docs, items].map((count) => String(count).padStart(8));
    return `${name.padEnd(WIDE)}${figures.join('')}${reads.join('')} ${status === 200 ? '' : `${status} `}${plans}`;
  });
  const title = `${head[0]?.padEnd(WIDE)}${head.slice(1, 5).map((each) => each.padStart(9)).join('')}${head.slice(5, 8).map((each) => each.padStart(8)).join('')}`; // prettier-ignore
  return `\nstored · questions with ${plays.toLocaleString('en')} plays\n${title}\n${lines.join('\n')}`;
}

/**
 * What grows with the collection, and what it would be with 100 million plays: linear in what was added.
 * @param {{ plays: number, rows: readonly (readonly [string, Answered])[] }} small
 * @param {{ plays: number, rows: readonly (readonly [string, Answered])[] }} large
 */
export function renderGrowth(small, large) {
  const before = new Map(small.rows);
  const times = (1e8 - large.plays) / (large.plays - small.plays);
  const lines = large.rows.flatMap(([name, now]) => {
    const then = before.get(name);
    if (!then) return [];
    const isSlower = now.p50 > GROWS * then.p50 && now.p50 - then.p50 > NOTICED_MS;
    const readsMore = now.keys + now.docs > GROWS * (then.keys + then.docs) && now.keys + now.docs > NOTICED_READ;
    if (!isSlower && !readsMore) return [];
    const at = (/** @type {number} */ one, /** @type {number} */ other) => Math.round(other + (other - one) * times);
    return [
      `  ${name}: p50 ${then.p50.toFixed(0)} → ${now.p50.toFixed(0)} ms, read ${then.keys + then.docs} → ${now.keys + now.docs}; at 10⁸ plays some ${at(then.p50, now.p50)} ms without a limit`,
    ];
  });
  if (lines.length === 0) return '\nstored · no question costs more with ten times the plays';
  return `\nstored · these grow with the collection:\n${lines.join('\n')}`;
}
