import { defineConfig } from 'vitest/config';
import LongestFirst from './tools/test-order.mjs';

/** After how long a test is taken to hang: no test may take a slow machine for that. */
const TIMEOUTS = { unit: 10_000, int: 60_000, e2e: 90_000, chaos: 600_000, alone: 600_000, k8s: 1_200_000 };

/** Specs that load both cores by themselves: others would take from them what their load needs. */
const ALONE = ['test/chaos/rolling-restart.spec.ts'];

/** Pure specs first, then those with servers, then whole processes, then faults: each group alone, or they would starve each other. */
function project(
  name: keyof typeof TIMEOUTS,
  include: readonly string[],
  maxWorkers: number,
  exclude: readonly string[] = [],
) {
  return {
    extends: true as const,
    test: {
      name,
      include: [...include],
      exclude: ['**/node_modules/**', ...exclude],
      testTimeout: TIMEOUTS[name],
      hookTimeout: Math.max(TIMEOUTS[name], 60_000),
      maxWorkers,
      globalSetup: name === 'unit' ? [] : ['./tools/test-servers.mjs'],
      // Modules of the product are loaded once for a worker's specs: nothing is mocked, so none can leave a changed one behind.
      isolate: false,
      sequence: { groupOrder: Object.keys(TIMEOUTS).indexOf(name) },
    },
  };
}

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    environment: 'node',
    pool: 'forks',
    // One shared failure in a fault test must not hide the next: run all, report all.
    bail: 0,
    sequence: { sequencer: LongestFirst },
    // `npm run coverage`: of this process's code. What the built processes of e2e and chaos specs run is not counted.
    coverage: {
      provider: 'v8',
      include: ['{apps,libs}/*/src/**/*.ts'],
      exclude: ['**/*.spec.ts', '**/*.fixture.ts', 'libs/testing/**'],
      reporter: ['text-summary', 'html'],
    },
    reporters: ['default', './tools/totals-reporter.mjs'],
    projects: [
      project('unit', ['{apps,libs}/*/src/**/*.spec.ts', 'test/model/**/*.spec.ts'], 2, ['**/*.int.spec.ts']),
      project('int', ['{apps,libs}/*/src/**/*.int.spec.ts'], 3),
      project('e2e', ['test/e2e/**/*.e2e.spec.ts'], 2),
      project('chaos', ['test/chaos/**/*.spec.ts'], 3, ALONE),
      project('alone', ALONE, 1),
      // Only in the network of `npm run k8s:prove`.
      ...(process.env.WEFT_PROVE_K8S === undefined ? [] : [project('k8s', ['test/k8s/**/*.spec.ts'], 1)]),
    ],
  },
});
