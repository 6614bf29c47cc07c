import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const at = (name: string) => new URL(`../${name}`, import.meta.url);
const text = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '');
const manifest = JSON.parse(text('package.json')) as Record<string, unknown> & {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

it('is found with its types by a resolution that reads no `exports` (node10)', () => {
  const { types, default: main } = manifest.exports['.'] ?? {};
  expect([manifest.types, manifest.main]).toEqual([types, main]);
});

it('has a README, which npm adds to the package', () => {
  expect(text('README.md')).toContain("from '@weft/client'");
});
