import { scratchFolder } from '@weft/testing';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { KubeApi } from './kube-api.js';
import { startNodes } from './nodes.js';
import { answers, makeCertificates, startServer } from './servers.js';

/** Paths of the built programs by name: `tools/k8s/build.mjs`. */
export type Binaries = Readonly<Record<string, string>>;

export interface ControlPlane {
  readonly api: KubeApi;
  /** Path of a kubeconfig of the cluster's admin. */
  readonly kubeconfig: string;
  /** Has `ca`, `proxy` and `keda` as .crt and .key. */
  readonly certificates: string;
}

const ETCD = 'http://127.0.0.1:2379';
const PORT = 6443;
/** Of the network in which the pods have their addresses. */
const ADDRESS = '10.42.0.1';

/** The real parts of Kubernetes, on fixed ports: the network namespace is this run's alone. */
export async function startControlPlane(binaries: Binaries, nodes: readonly string[]): Promise<ControlPlane> {
  const folder = scratchFolder('control-plane');
  await makeCertificates(folder, { proxy: 'front-proxy', keda: 'localhost', sa: 'service-accounts' });
  const at = (name: string): string => join(folder, name);
  const start = (name: string, args: readonly string[]): void =>
    startServer({ name, binary: binaries[name] ?? name, args });

  const etcdArgs = ['--listen-client-urls', ETCD, '--advertise-client-urls', ETCD, '--unsafe-no-fsync'];
  start('etcd', ['--data-dir', at('etcd'), ...etcdArgs]);
  await answers(`${ETCD}/health`, async (url) => (await fetch(url)).status);

  const token = randomBytes(16).toString('hex');
  writeFileSync(at('tokens.csv'), `${token},admin,admin,system:masters\n`);
  start('kube-apiserver', apiServerArgs(at));
  const api = new KubeApi(`https://127.0.0.1:${PORT}`, token);
  afterAll(() => api.close());
  await answers('/readyz', async (path) => (await api.send('GET', path)).status);

  const kubeconfig = at('kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(api.url, token)));
  const asAdmin = ['--kubeconfig', kubeconfig];
  start('kube-controller-manager', [
    ...asAdmin,
    ...['--leader-elect=false', '--service-account-private-key-file', at('sa.key')],
    ...['--horizontal-pod-autoscaler-sync-period', '2s', '--node-monitor-grace-period', '10m'],
  ]);
  start('kube-scheduler', [...asAdmin, '--leader-elect=false']);
  await startNodes(api, nodes);
  return { api, kubeconfig, certificates: folder };
}

function apiServerArgs(at: (name: string) => string): string[] {
  return [
    ...[
      '--etcd-servers',
      ETCD,
      '--bind-address',
      '127.0.0.1',
      '--secure-port',
      String(PORT),
      '--cert-dir',
      at('certs'),
    ],
    ...['--advertise-address', ADDRESS, '--endpoint-reconciler-type', 'none'],
    ...['--token-auth-file', at('tokens.csv'), '--authorization-mode', 'RBAC'],
    ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-account-key-file', at('sa.key')],
    ...['--service-account-signing-key-file', at('sa.key'), '--service-cluster-ip-range', '10.43.0.0/16'],
    ...['--requestheader-client-ca-file', at('ca.crt'), '--requestheader-allowed-names', 'front-proxy'],
    ...['--requestheader-username-headers', 'X-Remote-User', '--requestheader-group-headers', 'X-Remote-Group'],
    ...['--requestheader-extra-headers-prefix', 'X-Remote-Extra-'],
    ...['--proxy-client-cert-file', at('proxy.crt'), '--proxy-client-key-file', at('proxy.key')],
  ];
}

function kubeconfigOf(server: string, token: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
  };
}
