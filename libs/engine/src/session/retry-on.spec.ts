import { expect, it } from 'vitest';
import { isWorthRetrying } from './retry-on.js';

it('a failure that says itself whether it may pass is tried again only if it may, or if `on` names it', () => {
  expect(isWorthRetrying(undefined, 'sql_failed', { isPassing: true })).toBe(true);
  expect(isWorthRetrying(undefined, 'sql_failed', { isPassing: false })).toBe(false);
  expect(isWorthRetrying(['sql_failed'], 'sql_failed', { isPassing: false })).toBe(true);
  expect(isWorthRetrying(['constraint_violated'], 'constraint_violated', {})).toBe(false);
});
