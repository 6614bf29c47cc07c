import { defineConfig } from 'vitest/config';
import { filesOf, type Kind } from './tools/test-kinds.mjs';
import SlowKindsFirst from './tools/test-order.mjs';

/** After how long a test is taken to hang: no test may take a slow machine for that. */
const HANGS_AFTER_MS = 300_000;

/** Which kinds run: `npm test` says it. */
const wanted = process.env.WEFT_TESTS?.split(',');

function project(name: string, kinds: readonly Kind[], globalSetup: readonly string[]) {
  return {
    extends: true as const,
    test: {
      name,
      include: filesOf(kinds.filter((kind) => wanted?.includes(kind) ?? true)),
      globalSetup: [...globalSetup],
    },
  };
}

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    environment: 'node',
    pool: 'forks',
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    // its own second is not enough on a busy machine
    expect: { poll: { timeout: 60_000 } },
    // One more than cores that are common: some specs mostly wait, for a process that was killed or for its neighbour.
    maxWorkers: 3,
    // Modules of the product are loaded once for a worker's specs: nothing is mocked, so none can leave a changed one behind.
    isolate: false,
    // One shared failure in a fault test must not hide the next: run all, report all.
    bail: 0,
    sequence: { sequencer: SlowKindsFirst },
    // `npm run coverage`: of this process's code. What the built processes of e2e and chaos specs run is not counted.
    coverage: {
      provider: 'v8',
      include: ['{apps,libs}/*/src/**/*.ts'],
      exclude: ['**/*.spec.ts', '**/*.fixture.ts', 'libs/testing/**'],
      reporter: ['text-summary', 'html'],
    },
    reporters: ['default', './tools/totals-reporter.mjs'],
    projects: [
      // Workers of their own: the shared API of other specs would run on the fake timers of these.
      project('pure', ['unit'], []),
      project('live', ['k8s', 'upgrade', 'faults', 'chaos', 'e2e', 'int'], ['./tools/test-servers.mjs']),
    ],
  },
});
