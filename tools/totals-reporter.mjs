// The end of a test run: its ten slowest specs, and as its last line `N passed, N failed`. A file that could not be loaded counts as one failure, and so do an
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

const SLOWEST = 10;

/**
 * @param {readonly import('vitest/node').TestModule[]} modules
 * @returns {string[]} a line each, with the seconds from the load of the spec to the end of its last test
 */
export function slowestSpecs(modules) {
  const rows = modules.map((module) => {
    const { collectDuration, duration } = module.diagnostic();
    return { path: module.relativeModuleId, seconds: (collectDuration + duration) / 1_000 };
  });
  const slowest = rows.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  return slowest.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${path}`);
}

/** @implements {Reporter} */
export default class TotalsReporter {
  /** @type {readonly string[]} */
  #lines = [];

  onInit() {
    // After the default reporter's block, and after the servers of the run have stopped.
    process.once('exit', () => this.#lines.forEach((line) => console.log(line)));
  }

  /** @param {Parameters<typeof totalsLine>} run */
  onTestRunEnd(...run) {
    const [modules] = run;
    const slowest = modules.length > SLOWEST ? ['The slowest specs:', ...slowestSpecs(modules)] : [];
    this.#lines = [...slowest, totalsLine(...run)];
  }
}
