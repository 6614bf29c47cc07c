import { describe, expect, it } from 'vitest';
import { exportPath, readAuditSearch } from './audit-search';

describe('readAuditSearch', () => {
  it('takes what can be a filter and leaves the rest out', () => {
    const typed = { action: 'flow_created', actor: 'u1', resource_id: '', from: '2026-01-01', to: 'x', other: '1' };
    expect(readAuditSearch(typed)).toEqual({ action: 'flow_created', actor: 'u1', from: '2026-01-01T00:00:00.000Z' });
    expect(readAuditSearch({ action: 'made_up', installation: 'false' })).toEqual({});
  });
});

describe('exportPath', () => {
  it('has the filter', () => {
    expect(exportPath({ actor: 'a@b.c' }, 'csv')).toBe('/api/v1/audit/export?actor=a%40b.c&format=csv');
  });
});
