// Which specs run first: those that mostly wait, because they start and kill processes. What is left for the end, when some workers
// have nothing to do, is short.
import { BaseSequencer } from 'vitest/node';
import { KINDS, kindOf } from './test-kinds.mjs';

const ORDER = Object.keys(KINDS);

export default class SlowKindsFirst extends BaseSequencer {
  /**
   * @override
   * @param {import('vitest/node').TestSpecification[]} files
   * @returns {Promise<import('vitest/node').TestSpecification[]>}
   */
  async sort(files) {
    // the sort is stable: within a kind they stay in vitest's order, the longest first, by the last run or else by size
    const rank = (/** @type {import('vitest/node').TestSpecification} */ { moduleId }) =>
      ORDER.indexOf(kindOf(moduleId));
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
