import { TestRunner, afterAll, onTestFinished } from 'vitest';

/**
 * Cleans up after the test that asks for it, or after the last test of the file when it is asked for outside of one:
 * vitest never runs an `afterAll` that a test registers. In a concurrent test use the `onTestFinished` of its context.
 */
export function cleanUpWith(work: () => Promise<void>): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(work);
  else onTestFinished(work);
}
