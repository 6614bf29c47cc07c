/**
 * What `npm run k8s:prove` builds from source: each module in a Go module of its own, because they need different versions of
 * the same libraries.
 * @typedef {{ module: string, version: string, commands: readonly string[], isTrimmed?: true }} Source `commands`: packages below the
 * module; `isTrimmed`: not all of it is built (`trim-keda.mjs`)
 * @type {readonly Source[]}
 */
export const SOURCES = [
  { module: 'go.etcd.io/etcd/server/v3', version: 'v3.7.3', commands: ['.'] },
  {
    module: 'k8s.io/kubernetes',
    version: 'v1.36.3',
    commands: ['cmd/kube-apiserver', 'cmd/kube-controller-manager', 'cmd/kube-scheduler'],
  },
  {
    module: 'github.com/kedacore/keda/v2',
    version: 'v2.21.0',
    commands: ['cmd/operator', 'cmd/adapter'],
    isTrimmed: true,
  },
];
