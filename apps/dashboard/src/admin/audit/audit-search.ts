import { AUDIT_ACTIONS, type AuditAction } from './audit-actions';

export interface AuditSearch {
  readonly action?: AuditAction;
  readonly actor?: string;
  readonly resource_type?: string;
  readonly resource_id?: string;
  readonly from?: string;
  readonly to?: string;
  /** What belongs to no company; for operators. */
  readonly installation?: 'true';
}

const TEXTS = ['actor', 'resource_type', 'resource_id'] as const;
const TIMES = ['from', 'to'] as const;

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const action = AUDIT_ACTIONS.find((each) => each === search.action);
  const texts = TEXTS.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value.slice(0, 320)] as const] : [];
  });
  const times = TIMES.flatMap((name) => {
    const value = search[name];
    const at = new Date(typeof value === 'string' ? value : '');
    return Number.isNaN(at.getTime()) ? [] : [[name, at.toISOString()] as const];
  });
  return {
    ...(action && { action }),
    ...Object.fromEntries([...texts, ...times]),
    ...(search.installation === 'true' && { installation: 'true' as const }),
  };
}

/** Where a browser gets the entries as a file. */
export function exportPath(search: AuditSearch, format: 'csv' | 'ndjson'): string {
  return `/api/v1/audit/export?${new URLSearchParams({ ...search, format }).toString()}`;
}
