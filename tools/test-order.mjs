// Which specs run first: those that mostly wait, because they start and kill processes. What is left for the end, when some workers
// have nothing to do, is short. Stories that share an installation follow each other: it runs for a shorter time.
import { readFileSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';
import { KINDS, kindOf } from './test-kinds.mjs';

const ORDER = Object.keys(KINDS);

/** How a spec asks for the installation that it shares, if it does: test/e2e/harness. */
const SHARED = [/\bopenDashboard\(\)|\bsharedFleet\('standalone'\)/, /\bsharedFleet\(\)/];

/** @param {string} path */
function installationOf(path) {
  if (kindOf(path) !== 'e2e') return -1;
  const text = readFileSync(path, 'utf8');
  return SHARED.findIndex((asks) => asks.test(text));
}

export default class SlowKindsFirst extends BaseSequencer {
  /**
   * @override
   * @param {import('vitest/node').TestSpecification[]} files
   * @returns {Promise<import('vitest/node').TestSpecification[]>}
   */
  async sort(files) {
    const ranks = new Map(
      files.map(({ moduleId }) => [moduleId, [ORDER.indexOf(kindOf(moduleId)), installationOf(moduleId)]]),
    );
    const rank = (/** @type {import('vitest/node').TestSpecification} */ { moduleId }) => ranks.get(moduleId) ?? [0, 0];
    // the sort is stable: the rest stays in vitest's order, the longest first, by the last run or else by size
    return (await super.sort(files)).sort((a, b) => {
      const [[kindA = 0, installationA = 0], [kindB = 0, installationB = 0]] = [rank(a), rank(b)];
      return kindA - kindB || installationA - installationB;
    });
  }
}
