import { describe, expect, it } from 'vitest';
import { disk, former } from './check-mongo.js';

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

describe('indexes of earlier versions', () => {
  it('are a warning that names them', () => {
    expect(former([])).toMatchObject({ severity: 'ok' });
    const { severity, says } = former(['due', 'company_mcp']);
    expect([severity, says]).toEqual(['warning', expect.stringContaining('due, company_mcp')]);
  });
});
