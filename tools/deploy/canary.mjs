// Faults in a copy of the real manifests, each of which its check must find.

/** @typedef {import('./manifests.mjs').Manifest} Manifest */
/** @typedef {'schemas' | 'pods' | 'uploads' | 'settings' | 'metrics'} CheckName */

/** @type {readonly { check: CheckName, spoil: (find: (kind: string, name: string) => any) => void, finds: RegExp }[]} */
const CASES = [
  { check: 'schemas', spoil: (find) => (find('Deployment', 'api').spec.replicaz = 2), finds: /replicaz/ },
  {
    check: 'schemas',
    spoil: (find) => (container(find('Deployment', 'api')).image = 7),
    finds: /image must be string/,
  },
  {
    check: 'schemas',
    spoil: (find) => (find('ScaledObject', 'worker').spec.pollingIntervall = 5),
    finds: /pollingIntervall/,
  },
  {
    check: 'schemas',
    spoil: (find) => (find('ScaledObject', 'worker').spec.fallback.behavior = 'zero'),
    finds: /behavior/,
  },
  {
    check: 'schemas',
    spoil: (find) => (find('HorizontalPodAutoscaler', 'api').apiVersion = 'autoscaling/v2beta2'),
    finds: /does not have this kind/,
  },
  {
    check: 'uploads',
    spoil: (find) => (find('HTTPRoute', 'api').spec.rules[1].timeouts.request = '30s'),
    finds: /ends slow uploads/,
  },
  {
    check: 'uploads',
    spoil: (find) => delete find('HTTPRoute', 'realtime').spec.rules[0].timeouts,
    finds: /ends sockets/,
  },
  {
    check: 'pods',
    spoil: (find) => delete container(find('Deployment', 'worker')).securityContext.readOnlyRootFilesystem,
    finds: /may write to its root/,
  },
  {
    check: 'pods',
    spoil: (find) => (container(find('Deployment', 'worker')).resources.limits.cpu = '1'),
    finds: /CPU limit/,
  },
  {
    check: 'pods',
    spoil: (find) => delete container(find('Deployment', 'api')).startupProbe,
    finds: /no startupProbe/,
  },
  {
    check: 'pods',
    spoil: (find) => (podOf(find('Deployment', 'api')).automountServiceAccountToken = true),
    finds: /token/,
  },
  {
    check: 'pods',
    spoil: (find) =>
      podOf(find('Deployment', 'api')).volumes.push({ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }),
    finds: /needs a volume/,
  },
  {
    check: 'pods',
    spoil: (find) => (podOf(find('Deployment', 'worker')).terminationGracePeriodSeconds = 60),
    finds: /killed before/,
  },
  {
    check: 'pods',
    spoil: (find) => (find('PodDisruptionBudget', 'worker').metadata.name = 'other'),
    finds: /no PodDisruptionBudget/,
  },
  {
    check: 'pods',
    spoil: (find) => (find('NetworkPolicy', 'deny-all').spec.egress = [{}]),
    finds: /no NetworkPolicy denies/,
  },
  {
    check: 'pods',
    spoil: (find) => (find('Namespace', 'weft').metadata.labels['pod-security.kubernetes.io/enforce'] = 'baseline'),
    finds: /restricted profile/,
  },
  {
    check: 'pods',
    spoil: (find) =>
      (find('ScaledObject', 'worker').spec.triggers[0].metadata.url = 'http://scheduler.other.svc:3000/metrics'),
    finds: /not the scheduler of its namespace/,
  },
  {
    check: 'pods',
    spoil: (find) => (find('HTTPRoute', 'realtime').spec.rules[0].backendRefs[0].name = 'sockets'),
    finds: /no Service sockets/,
  },
  {
    check: 'pods',
    spoil: (find) => (find('HTTPRoute', 'api').spec.parentRefs[0].sectionName = 'https'),
    finds: /no listener weft https/,
  },
  {
    check: 'pods',
    spoil: (find) => (container(find('Deployment', 'api')).readinessProbe.httpGet.path = '/health/ready'),
    finds: /leaves its Service/,
  },
  {
    check: 'pods',
    spoil: (find) =>
      delete find('CronJob', 'weft-backup').spec.jobTemplate.spec.template.spec.initContainers[0].securityContext,
    finds: /CronJob\/weft-backup may write to its root/,
  },
  {
    check: 'schemas',
    spoil: (find) => (find('HTTPRoute', 'api').spec.rules[0].timeouts.requests = '30s'),
    finds: /requests/,
  },
  {
    check: 'settings',
    spoil: (find) => container(find('Deployment', 'api')).env.push({ name: 'SERVER_PROT', value: '1' }),
    finds: /SERVER_PROT/,
  },
  {
    check: 'settings',
    spoil: (find) => {
      container(find('Deployment', 'api')).env.push({ name: 'SESSION_COOKIE_SECURE', value: 'false' });
    },
    finds: /API_URL is https/,
  },
  {
    check: 'metrics',
    spoil: (find) => (find('ScaledObject', 'worker').spec.triggers[0].metadata.valueLocation = 'weft_backlog'),
    finds: /weft_backlog,/,
  },
  {
    check: 'metrics',
    spoil: (find) => (find('PrometheusRule', 'weft').spec.groups[0].rules[0].expr = 'weft_play_wait_seconds > 1'),
    finds: /weft_play_wait_seconds,/,
  },
];

/**
 * @param {readonly Manifest[]} manifests of the overlay for production
 * @param {Readonly<Record<CheckName, (manifests: readonly Manifest[]) => Promise<string[]> | string[]>>} checks
 * @returns {Promise<string[]>} faults that were not found
 */
export async function canaryFaults(manifests, checks) {
  const outcomes = CASES.map(async ({ check, spoil, finds }) => {
    const spoilt = structuredClone(manifests);
    spoil((kind, name) => spoilt.find((one) => one.kind === kind && one.metadata.name === name));
    const found = await checks[check](spoilt);
    return found.some((fault) => finds.test(fault))
      ? []
      : [`the check of ${check} does not find ${finds} in: ${found.join('; ')}`];
  });
  return (await Promise.all(outcomes)).flat();
}

/** @param {Manifest} workload */
const podOf = (workload) => workload.spec.template.spec;

/** @param {Manifest} workload */
const container = (workload) => podOf(workload).containers[0];
