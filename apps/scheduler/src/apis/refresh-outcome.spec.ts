import type { StoredDifference } from '@weft/records';
import { heldBytes } from '@weft/testing';
import { expect, it } from 'vitest';
import { RefreshFindings } from './refresh-outcome.js';

const difference = (result: StoredDifference['result'], n: number, changes = 1): StoredDifference => ({
  operation: `${result}${n}`,
  result,
  digest: 'd',
  changes: Array.from({ length: changes }, () => ({ place: 'args', path: 'body.a', what: 'type', breaks: true })),
});

it('holds no more of what a refresh finds than is stored, counts all of it, and begins with what breaks', () => {
  const findings = new RefreshFindings();
  const before = heldBytes('heapUsed');
  for (let n = 0; n < 8_000; n += 1) {
    findings.add(difference('changed', n, 200), n % 2 === 0);
    findings.add(difference('breaking', n), true);
  }
  expect(heldBytes('heapUsed') - before).toBeLessThan(40 * 1024 * 1024);
  for (let n = 0; n < 10; n += 1) findings.add(difference('removed', n, 0), true);
  const { counts, differences } = findings.end(false);
  expect(counts).toEqual({ added: 0, removed: 10, changed: 4_000, breaking: 8_000 });
  expect(differences).toHaveLength(1_000);
  expect([differences[0]?.operation, differences[10]?.operation]).toEqual(['removed0', 'breaking0']);
});
