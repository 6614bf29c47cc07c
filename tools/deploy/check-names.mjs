// Every environment name of a manifest is in the catalogue of settings; every metric of a rule, a dashboard or a scaler is in the
// catalogue of metrics.
import { randomBytes } from 'node:crypto';

/** @typedef {import('./manifests.mjs').Manifest} Manifest */

/** What Node itself reads. */
const OF_NODE = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];
const SERIES_SUFFIX = /_(bucket|sum|count)$/;

/**
 * @param {readonly Manifest[]} manifests
 * @param {ReadonlySet<string>} settings names of the environment
 * @returns {string[]} what is wrong
 */
export function environmentFaults(manifests, settings) {
  const known = new Set([...settings, ...OF_NODE]);
  return environmentNames(manifests)
    .filter(({ name }) => !known.has(name))
    .map(({ name, where }) => `${where} sets ${name}, which is not a setting (libs/config/src/catalog.ts)`);
}

/** @param {readonly Manifest[]} manifests */
function environmentNames(manifests) {
  return manifests.flatMap((manifest) => {
    const where = `${manifest.kind} ${manifest.metadata.name}`;
    if (manifest.kind === 'ConfigMap' && manifest.metadata.name.startsWith('weft-settings')) {
      return Object.keys(manifest.data).map((name) => ({ name, where }));
    }
    if (manifest.metadata.labels?.['app.kubernetes.io/name'] !== 'weft') return [];
    const containers = (manifest.spec?.jobTemplate ?? manifest).spec?.template?.spec?.containers ?? [];
    return containers.flatMap((/** @type {any} */ { env = [] }) =>
      env.map((/** @type {{ name: string }} */ { name }) => ({ name, where })),
    );
  });
}

/** In the place of the Secret `weft-secrets`. */
const SECRETS = {
  MONGODB_URI: 'mongodb://mongodb:27017/?replicaSet=rs0',
  REDIS_URL: 'redis://redis:6379',
  ENC_KEY_SECRET: randomBytes(32).toString('hex'),
  ENV_KEY_SALT: randomBytes(32).toString('hex'),
  METRICS_TOKEN: randomBytes(32).toString('hex'),
};

/**
 * @param {readonly Manifest[]} manifests
 * @param {(env: Record<string, string>, options: { standalone: boolean }) => unknown} loadSettings
 * @returns {string[]} settings with which a process would not start
 */
export function valueFaults(manifests, loadSettings) {
  const shared = manifests.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('weft-settings'),
  );
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  return deployments.flatMap(({ metadata, spec }) => {
    /** @type {readonly { name: string, value?: string }[]} */
    const env = spec.template.spec.containers[0].env ?? [];
    const own = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
    try {
      loadSettings({ ...SECRETS, ...shared?.data, ...Object.fromEntries(own) }, { standalone: false });
      return [];
    } catch (error) {
      return [`Deployment ${metadata.name}: ${String(error)}`];
    }
  });
}

/**
 * @param {readonly Manifest[]} manifests
 * @param {ReadonlyMap<string, string>} metrics the type of each, by its full name
 * @returns {string[]} what is wrong
 */
export function metricFaults(manifests, metrics) {
  return manifests.flatMap((manifest) =>
    metricNames(manifest)
      .filter((name) => !isKnown(name, metrics))
      .map(
        (name) =>
          `${manifest.kind} ${manifest.metadata.name} reads ${name}, which no process exports (libs/observability/src/metrics/catalog.ts)`,
      ),
  );
}

/** @param {Manifest} manifest */
function metricNames(manifest) {
  const text = textWithMetrics(manifest);
  return [...new Set(text.match(/\bweft_[a-z0-9_]+/g) ?? [])];
}

/** @param {Manifest} manifest */
function textWithMetrics({ kind, spec, data }) {
  if (kind === 'PrometheusRule')
    return spec.groups
      .flatMap((/** @type {any} */ { rules }) => rules.map((/** @type {any} */ { expr }) => expr))
      .join('\n');
  if (kind === 'ScaledObject')
    return spec.triggers.map((/** @type {any} */ { metadata }) => metadata.valueLocation).join('\n');
  if (kind !== 'ConfigMap') return '';
  const dashboards = Object.entries(data ?? {}).filter(([file]) => file.endsWith('.json'));
  return dashboards.flatMap(([, text]) => expressionsOf(JSON.parse(String(text)).panels)).join('\n');
}

/**
 * @param {readonly any[]} panels
 * @returns {string[]}
 */
export function expressionsOf(panels) {
  return panels.flatMap(({ targets = [], panels: inner = [] }) => [
    ...targets.map((/** @type {{ expr: string }} */ { expr }) => expr),
    ...expressionsOf(inner),
  ]);
}

/**
 * @param {string} name
 * @param {ReadonlyMap<string, string>} metrics
 */
function isKnown(name, metrics) {
  const type = metrics.get(name);
  if (type !== undefined) return type !== 'histogram';
  const family = metrics.get(name.replace(SERIES_SUFFIX, ''));
  return family === 'histogram' || (family === 'summary' && !name.endsWith('_bucket'));
}
