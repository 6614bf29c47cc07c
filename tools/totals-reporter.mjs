// The last line of a test run: `N passed, N failed`. A file that could not be loaded counts as one failure, and so do an
// error that no test caught and a run that came to no test.

/** @typedef {import('vitest/node').Reporter} Reporter */

/**
 * @param {readonly import('vitest/node').TestModule[]} modules
 * @param {readonly unknown[]} unhandled
 * @param {import('vitest/node').TestRunEndReason} reason
 */
export function totalsLine(modules, unhandled, reason) {
  const totals = { passed: 0, failed: unhandled.length, skipped: 0 };
  for (const module of modules) {
    const tests = [...module.children.allTests()];
    for (const test of tests) {
      const { state } = test.result();
      if (state !== 'pending') totals[state] += 1;
    }
    if (module.state() === 'failed' && !tests.some((test) => test.result().state === 'failed')) totals.failed += 1;
  }
  if (reason === 'failed' && totals.failed === 0) totals.failed = 1;
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  return `${totals.passed} passed, ${totals.failed} failed${skipped}`;
}

/** @implements {Reporter} */
export default class TotalsReporter {
  #line = '';

  onInit() {
    // After the default reporter's block, and after the servers of the run have stopped.
    process.once('exit', () => this.#line !== '' && console.log(this.#line));
  }

  /** @param {Parameters<typeof totalsLine>} run */
  onTestRunEnd(...run) {
    this.#line = totalsLine(...run);
  }
}
