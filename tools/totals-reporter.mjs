// The last line of a test run: `N passed, N failed`. A file that could not be loaded counts as one failure, and so does
// an error that no test caught.

/** @typedef {import('vitest/node').Reporter} Reporter */

/** @implements {Reporter} */
export default class TotalsReporter {
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    const totals = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state !== 'pending') totals[state] += 1;
      }
      if (module.state() === 'failed' && !tests.some((test) => test.result().state === 'failed')) totals.failed += 1;
    }
    const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
    // After the default reporter's block, which is written when this hook has returned.
    process.on('exit', () => console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`));
  }
}
