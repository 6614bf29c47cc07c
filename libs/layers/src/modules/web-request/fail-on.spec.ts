import { describe, expect, it } from 'vitest';
import { failsOn } from './fail-on.js';

describe('failsOn', () => {
  it.each<[readonly string[], readonly number[], readonly number[]]>([
    [
      ['4xx', '5xx'],
      [400, 404, 499, 500, 599],
      [200, 204, 304, 399, 600],
    ],
    [['404'], [404], [400, 403, 405]],
    [
      ['400-403', '410'],
      [400, 401, 403, 410],
      [399, 404, 411],
    ],
    [['2xx'], [200, 299], [300, 404]],
    [['600-999'], [600, 999], [599]],
    [['999'], [999], [599]],
    [[], [], [200, 404, 500]],
  ])('%j', (rules, failing, passing) => {
    for (const status of failing) expect(failsOn(rules, status), String(status)).toBe(true);
    for (const status of passing) expect(failsOn(rules, status), String(status)).toBe(false);
  });
});
