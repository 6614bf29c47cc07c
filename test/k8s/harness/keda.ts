import { waitFor } from '@weft/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inRoot } from '#tools/setup/root.mjs';
import { parseManifests } from '#tools/deploy/manifests.mjs';
import type { Binaries, ControlPlane } from './control-plane.js';
import type { KubeObject } from './kube-api.js';
import { startServer } from './servers.js';

const GRPC_PORT = 9666;
const ADAPTER_PORT = 6444;
export const KEDA_DEFINITIONS = ['keda.sh_scaledobjects.yaml', 'keda.sh_triggerauthentications.yaml'];

/** Installs resource definitions, by default of k8s/schemas, which has those that Weft's manifests use. */
export async function installDefinitions(
  { api }: ControlPlane,
  files: readonly string[],
  folder = inRoot('k8s', 'schemas'),
): Promise<void> {
  for (const file of files) {
    const [definition] = parseManifests(readFileSync(join(folder, file), 'utf8')).filter(Boolean);
    await api.apply(definition as KubeObject);
  }
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const established = async () => {
    const all = await api.list<{ status?: { conditions?: { type: string; status: string }[] } }>(path);
    return all.filter(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True'),
    ).length;
  };
  await waitFor(async () => (await established()) >= files.length, { what: 'the resource definitions' });
}

/** The real operator and metrics adapter of KEDA. */
export async function startKeda(plane: ControlPlane, binaries: Binaries): Promise<void> {
  const { api, kubeconfig, certificates } = plane;
  // The operator ends when one of its own is missing.
  const definitions = join(dirname(binaries['keda-operator'] ?? ''), 'source', 'config', 'crd', 'bases');
  await installDefinitions(plane, readdirSync(definitions), definitions);
  const folder = join(certificates, 'keda');
  await mkdir(folder);
  for (const [from, to] of [
    ['ca.crt', 'ca.crt'],
    ['keda.crt', 'tls.crt'],
    ['keda.key', 'tls.key'],
  ] as const) {
    await copyFile(join(certificates, from), join(folder, to));
  }
  const env = {
    ...{ KUBECONFIG: kubeconfig, WATCH_NAMESPACE: '', POD_NAMESPACE: 'keda', KEDA_CLUSTER_OBJECT_NAMESPACE: 'keda' },
    KEDA_HTTP_DEFAULT_TIMEOUT: '3000',
  };
  await api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'keda' } });
  startServer({
    name: 'keda-operator',
    binary: binaries['keda-operator'] ?? '',
    env,
    args: [
      ...['--leader-elect=false', '--enable-cert-rotation=false', '--cert-dir', folder],
      ...['--metrics-bind-address', '0', '--health-probe-bind-address', '127.0.0.1:8081'],
      ...['--metrics-service-bind-address', `127.0.0.1:${GRPC_PORT}`],
    ],
  });
  startServer({
    name: 'keda-adapter',
    binary: binaries['keda-adapter'] ?? '',
    env,
    args: [
      ...['--secure-port', String(ADAPTER_PORT), '--bind-address', '127.0.0.1', '--cert-dir', folder],
      ...['--tls-cert-file', join(folder, 'tls.crt'), '--tls-private-key-file', join(folder, 'tls.key')],
      ...['--authentication-kubeconfig', kubeconfig, '--authorization-kubeconfig', kubeconfig],
      ...['--lister-kubeconfig', kubeconfig, '--metrics-service-address', `localhost:${GRPC_PORT}`],
    ],
  });
  for (const one of [adapterService(ADAPTER_PORT), externalMetrics(ADAPTER_PORT)]) await api.apply(one);
  const external = '/apis/external.metrics.k8s.io/v1beta1';
  await waitFor(async () => (await api.send('GET', external)).status === 200, {
    what: "KEDA's metrics adapter",
    withinMs: 120_000,
  });
}

/** The adapter runs on this machine, not in a pod. */
export function adapterService(port: number): KubeObject {
  const metadata = { name: 'keda-metrics-apiserver', namespace: 'keda' };
  const spec = { type: 'ExternalName', externalName: 'localhost', ports: [{ name: 'https', port }] };
  return { apiVersion: 'v1', kind: 'Service', metadata, spec } as KubeObject;
}

export function externalMetrics(port: number): KubeObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.external.metrics.k8s.io' },
    spec: {
      service: { name: 'keda-metrics-apiserver', namespace: 'keda', port },
      ...{ group: 'external.metrics.k8s.io', version: 'v1beta1', insecureSkipTLSVerify: true },
      ...{ groupPriorityMinimum: 100, versionPriority: 100 },
    },
  } as KubeObject;
}
