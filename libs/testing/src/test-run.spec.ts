import { expect, it } from 'vitest';
import { testRun } from './test-run.js';

it('has no servers for a pure spec, and says how to get them', () => {
  expect(testRun).toThrow('This spec needs live servers: name its file *.int.spec.ts.');
});
