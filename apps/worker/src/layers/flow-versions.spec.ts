import type { FlowVersion } from '@weft/engine';
import { aLayer, aVersion } from '@weft/testing';
import { expect, it } from 'vitest';
import { FlowVersions, UnreadableVersion } from './flow-versions.js';

const stored = aVersion([aLayer('l', { args: { template: '{{ .a..b }}' } })], { version: 3 });

function versions(found: FlowVersion | null): FlowVersions {
  return new FlowVersions(
    { find: () => Promise.resolve(found) },
    { findMany: () => Promise.resolve([]) },
    { get: () => undefined, set: () => undefined },
    () => '',
    { find: () => Promise.resolve(new Map()) },
  );
}

it('says of a version with an expression that this build does not know that it cannot be read', async () => {
  const reading = versions(stored).get('c', 'f', 3);
  await expect(reading).rejects.toThrow(UnreadableVersion);
  await expect(versions(stored).get('c', 'f', 3)).rejects.toThrow(/template: after a dot comes a name/);
});

it('gives nothing for one that is gone', async () => {
  expect(await versions(null).get('c', 'f', 3)).toBeNull();
});
