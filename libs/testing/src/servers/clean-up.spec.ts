import { describe, expect, it } from 'vitest';
import { cleanUpWith } from './clean-up.js';

describe('what a test leaves to be cleaned up', () => {
  const done: string[] = [];
  cleanUpWith(async () => void done.push('file'));

  it('is left alone while the test runs', () => {
    cleanUpWith(async () => void done.push('test'));
    expect(done).toEqual([]);
  });

  it('is cleaned up before the next one, what a file leaves is not', () => {
    expect(done).toEqual(['test']);
  });
});
