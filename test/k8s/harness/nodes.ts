import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { KubeApi } from './kube-api.js';

const RENEW_EVERY_MS = 10_000;
const ROOM = { cpu: '32', memory: '128Gi', pods: '110', 'ephemeral-storage': '100Gi' };

/** Registers nodes, each in a zone of its own, and keeps them alive as a kubelet does: by renewing their leases. */
export async function startNodes(api: KubeApi, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await api.apply(node(name));
    await api.patch(`/api/v1/nodes/${name}/status`, { status: status() });
  }
  const stopped = new AbortController();
  const renewing = (async () => {
    while (!stopped.signal.aborted) {
      await Promise.all(names.map((name) => api.apply(lease(name)))).catch(() => undefined);
      await pause(RENEW_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  afterAll(async () => {
    stopped.abort();
    await renewing;
  });
}

function node(name: string) {
  const zone = `zone-${name.at(-1)}`;
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'topology.kubernetes.io/zone': zone };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
}

function status() {
  const now = new Date().toISOString();
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  return { allocatable: ROOM, capacity: ROOM, conditions: [ready] };
}

function lease(name: string) {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-node-lease' },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  };
}
