import { describe, expect, it } from 'vitest';
import { disk } from './check-mongo.js';

describe('the disk of MongoDB', () => {
  it.each([
    [null, 'ok'],
    [0.5, 'ok'],
    [0.81, 'warning'],
    [0.96, 'error'],
  ] as const)('%s full is %s', (share, severity) => {
    expect(disk(share)).toMatchObject({ check: 'mongodb.disk', severity });
  });
});
