import type { FlowVersion, LayerDefinition } from '@weft/engine';
import { expect, it } from 'vitest';
import { FlowVersions, UnreadableVersion } from './flow-versions.js';

const layer: LayerDefinition = {
  ...{ id: 'l', ref: 'l', name: 'L', appId: 'text-template', index: 0, args: { template: '{{ .a..b }}' } },
  ...{ when: null, retry: null, timeoutMs: null, onError: 'fail', onInterrupted: 'repeat', forEach: null, stage: null },
};
const stored: FlowVersion = {
  ...{ flowId: 'f', companyId: 'c', version: 3, name: 'F', layers: [layer] },
  settings: { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null },
};

function versions(found: FlowVersion | null): FlowVersions {
  return new FlowVersions(
    { find: () => Promise.resolve(found) },
    { findMany: () => Promise.resolve([]) },
    { get: () => undefined, set: () => undefined },
    () => '',
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
