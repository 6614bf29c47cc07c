import type { FlowVersion } from '@weft/engine';
import type { Face } from '@weft/layers';
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

it('counts the operations that a version holds with it', async () => {
  const sizes: number[] = [];
  const { argsSchema: schema, ...rest } = { argsSchema: { enum: ['x'.repeat(500_000)] }, title: '', description: '' };
  const face = { ...rest, argsSchema: schema, outSchema: schema } as unknown as Face;
  const flows = new FlowVersions(
    {
      find: () => Promise.resolve(aVersion([aLayer('l', { appId: 'operation', args: { api: 'a', operation: 'b' } })])),
    },
    { findMany: () => Promise.resolve([]) },
    { get: () => undefined, set: (_key, _version, bytes = 0) => void sizes.push(bytes) },
    () => '',
    { find: (_scope, keys) => Promise.resolve(new Map(keys.map((key) => [key, face]))) },
  );
  await flows.get('c', 'f', 1);
  expect(sizes).toEqual([expect.any(Number)]);
  expect(sizes[0]).toBeGreaterThan(1_000_000);
});
