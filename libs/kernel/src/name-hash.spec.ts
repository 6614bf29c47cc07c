import { expect, it } from 'vitest';
import { nameHash } from './name-hash.js';

const NAMES = Array.from({ length: 100_000 }, (_, i) => `k${i}`);

it.each([0x4d001, 0x1401, 0x301, 0x13ff, 0x2c0ff])('differs where names do, also when %s was drawn', (drawn) => {
  const hashOf = nameHash(drawn);
  expect(new Set(NAMES.map((name) => hashOf(name, 0, name.length))).size).toBeGreaterThan(95_000);
});
