// What the documentation promises of the pods (docs/deploy/kubernetes.md), in every overlay.
import { nameOf, ofKind } from './manifests.mjs';

/** @typedef {import('./manifests.mjs').Manifest} Manifest */

const PROCESSES = ['api', 'realtime', 'scheduler', 'worker'];
/** Of the time between SIGTERM and SIGKILL: what a process is given beyond its own grace. */
const RESERVE_SECONDS = 5;

/**
 * @param {readonly Manifest[]} manifests of one overlay
 * @returns {string[]} what is wrong
 */
export function podFaults(manifests) {
  const [namespace] = ofKind(manifests, 'Namespace');
  const deployments = ofKind(manifests, 'Deployment');
  const faults = [...deployments, ...ofKind(manifests, 'StatefulSet'), ...jobsOf(manifests)].flatMap((workload) =>
    isolationFaults(workload).map((fault) => `${nameOf(workload)} ${fault}`),
  );
  for (const name of PROCESSES) {
    // workers with a label have a Deployment of their own
    const ofIt = deployments.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === name);
    if (!ofIt.some(({ metadata }) => metadata.name === name)) faults.push(`there is no Deployment ${name}`);
    for (const deployment of ofIt)
      faults.push(...processFaults(name, deployment, manifests).map((fault) => `${nameOf(deployment)} ${fault}`));
  }
  if (namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'] !== 'restricted') {
    faults.push('the namespace does not enforce the restricted profile');
  }
  if (!ofKind(manifests, 'NetworkPolicy').some(deniesAll)) faults.push('no NetworkPolicy denies what no policy names');
  return faults;
}

/**
 * What CronJobs start, in the shape of other workloads.
 * @param {readonly Manifest[]} manifests
 * @returns {readonly Manifest[]}
 */
function jobsOf(manifests) {
  return ofKind(manifests, 'CronJob').map((job) => ({ ...job, spec: job.spec.jobTemplate.spec }));
}

/** @param {Manifest} policy */
function deniesAll({ spec }) {
  const isForAll = Object.keys(spec.podSelector).length === 0 && spec.policyTypes.length === 2;
  return isForAll && spec.ingress === undefined && spec.egress === undefined;
}

/**
 * The restricted profile, a read-only root, no token, and nothing that throttles.
 * @param {Manifest} workload
 */
function isolationFaults({ spec }) {
  const pod = spec.template.spec;
  const faults = [];
  if (pod.automountServiceAccountToken !== false) faults.push('mounts a token of the cluster');
  if (pod.securityContext?.runAsNonRoot !== true) faults.push('may run as root');
  if (pod.securityContext?.seccompProfile?.type !== 'RuntimeDefault') faults.push('has no seccomp profile');
  for (const { securityContext = {}, resources = {} } of [...pod.containers, ...(pod.initContainers ?? [])]) {
    if (securityContext.readOnlyRootFilesystem !== true) faults.push('may write to its root');
    if (securityContext.allowPrivilegeEscalation !== false) faults.push('may gain privileges');
    if (!securityContext.capabilities?.drop?.includes('ALL')) faults.push('keeps capabilities');
    if (resources.limits?.cpu !== undefined) faults.push('has a CPU limit: throttled processes lose their leases');
    if (resources.limits?.memory === undefined || resources.requests?.memory === undefined)
      faults.push('has no bound of memory');
  }
  return faults;
}

/**
 * @param {string} name of a process of Weft
 * @param {Manifest} deployment
 * @param {readonly Manifest[]} manifests
 */
function processFaults(name, { spec }, manifests) {
  const pod = spec.template.spec;
  const [container] = pod.containers;
  const faults = [];
  if (!container.command?.includes(`dist/apps/${name}/src/main.js`)) faults.push('does not start its process');
  if (pod.volumes.some((/** @type {any} */ { emptyDir }) => emptyDir === undefined)) faults.push('needs a volume');
  const grace = container.env.find((/** @type {any} */ one) => one.name === 'SHUTDOWN_GRACE_SECONDS')?.value;
  if (!(pod.terminationGracePeriodSeconds >= Number(grace) + RESERVE_SECONDS))
    faults.push('is killed before its own grace ends');
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    if (container[probe] === undefined) faults.push(`has no ${probe}`);
  }
  if (container.startupProbe?.httpGet.path !== '/health/ready') faults.push('is ready before it can do its work');
  if (container.readinessProbe?.httpGet.path !== '/health/live')
    faults.push('leaves its Service, as all of its kind, while a store is unreachable');
  for (const kind of ['PodDisruptionBudget', 'Service', 'ServiceAccount']) {
    if (!ofKind(manifests, kind).some(({ metadata }) => metadata.name === name)) faults.push(`has no ${kind}`);
  }
  const selected = Object.entries(spec.selector.matchLabels);
  if (!selected.every(([label, value]) => spec.template.metadata.labels[label] === value))
    faults.push('selects no pods');
  return faults;
}

/**
 * @param {readonly Manifest[]} manifests of one overlay
 * @returns {string[]} what names something that does not exist
 */
export function referenceFaults(manifests) {
  const has = (/** @type {string} */ kind, /** @type {string} */ name) =>
    manifests.some((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  const [namespace] = ofKind(manifests, 'Namespace');
  const scaled = manifests.filter(({ spec }) => spec?.scaleTargetRef !== undefined);
  const routes = ofKind(manifests, 'HTTPRoute');
  const routed = routes.flatMap((route) =>
    route.spec.rules.flatMap((/** @type {any} */ { backendRefs = [] }) =>
      backendRefs.map((/** @type {any} */ { name, port }) => ({ route, name, port })),
    ),
  );
  const listening = ofKind(manifests, 'Gateway').flatMap(({ metadata, spec }) =>
    spec.listeners.map((/** @type {any} */ { name }) => `${metadata.name} ${name}`),
  );
  const attached = routes.flatMap((route) =>
    route.spec.parentRefs.map((/** @type {any} */ { name, sectionName }) => ({ route, to: `${name} ${sectionName}` })),
  );
  const asked = ofKind(manifests, 'ScaledObject').flatMap((scaler) =>
    scaler.spec.triggers.map((/** @type {any} */ { metadata }) => ({ scaler, host: new URL(metadata.url).hostname })),
  );
  return [
    ...scaled
      .filter(({ spec }) => !has('Deployment', spec.scaleTargetRef.name))
      .map((one) => `${nameOf(one)} scales nothing`),
    ...routed
      .filter(({ name, port }) => !hasPort(manifests, name, port))
      .map(({ route, name, port }) => `${nameOf(route)} leads to no Service ${name} with port ${port}`),
    ...attached
      .filter(({ to }) => !listening.includes(to))
      .map(({ route, to }) => `${nameOf(route)} hangs on no listener ${to}`),
    ...asked
      .filter(({ host }) => host !== `scheduler.${namespace?.metadata.name}.svc`)
      .map(({ scaler, host }) => `${nameOf(scaler)} asks ${host}, which is not the scheduler of its namespace`),
    ...manifests
      .filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== namespace?.metadata.name)
      .map((manifest) => `${nameOf(manifest)} is not in the namespace`),
  ];
}

/**
 * @param {readonly Manifest[]} manifests
 * @param {string} name
 * @param {number} port
 */
function hasPort(manifests, name, port) {
  const services = ofKind(manifests, 'Service').filter(({ metadata }) => metadata.name === name);
  return services.some(({ spec }) => spec.ports.some((/** @type {any} */ one) => one.port === port));
}
