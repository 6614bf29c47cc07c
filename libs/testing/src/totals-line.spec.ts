import { describe, expect, it } from 'vitest';
import type { TestModule } from 'vitest/node';
import { totalsLine } from '#tools/totals-reporter.mjs';

/** A file with tests that ended so. */
function file(state: 'passed' | 'failed', ...tests: ('passed' | 'failed' | 'skipped' | 'pending')[]): TestModule {
  const allTests = () => tests.map((result) => ({ result: () => ({ state: result }) }));
  return { state: () => state, children: { allTests } } as unknown as TestModule;
}

describe('the last line of a test run', () => {
  it('counts tests over all files', () => {
    const files = [file('passed', 'passed', 'passed', 'skipped'), file('failed', 'passed', 'failed', 'pending')];
    expect(totalsLine(files, [], 'failed')).toBe('3 passed, 1 failed, 1 skipped');
  });

  it('counts a file that could not be loaded, and an error that no test caught', () => {
    expect(totalsLine([file('failed'), file('passed', 'passed')], [new Error('stray')], 'failed')).toBe(
      '1 passed, 2 failed',
    );
  });

  it('has a failure when the servers could not be started, or nothing was found to run', () => {
    expect(totalsLine([], [], 'failed')).toBe('0 passed, 1 failed');
  });
});
