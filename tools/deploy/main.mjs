// `npm run check:deploy`: what can be checked of the deployment without a cluster. It fails at the first check that finds something.
import { step, say } from '../setup/say.mjs';
import { giveUp } from '../setup/trouble.mjs';
import { source } from '../docs/typescript-sources.mjs';
import { imageFaults } from './check-image.mjs';
import { environmentFaults, metricFaults } from './check-names.mjs';
import { podFaults, referenceFaults } from './check-pods.mjs';
import { ruleFaults } from './check-rules.mjs';
import { schemaFaults } from './check-schemas.mjs';
import { findHadolint, findKubectl, findKubernetesSchemas, findPromtool } from './deploy-tools.mjs';
import { buildOverlays } from './manifests.mjs';

const { CATALOG } = await source('config/src/catalog');
const { METRICS, METRIC_PREFIX } = await source('observability/src/metrics/catalog');
const settings = new Set(Object.values(CATALOG).map(({ env }) => env));
const metrics = new Map(Object.entries(METRICS).map(([name, { type }]) => [`${METRIC_PREFIX}${name}`, type]));

try {
  const { env } = process;
  const builds = await step('building the overlays', async () => buildOverlays(await findKubectl(env)));
  /** @type {(faultsOf: (manifests: readonly import('./manifests.mjs').Manifest[]) => string[]) => string[]} */
  const inEach = (faultsOf) =>
    builds.flatMap(({ overlay, manifests }) => faultsOf(manifests).map((fault) => `${overlay}: ${fault}`));
  /** @type {readonly (readonly [name: string, faults: () => Promise<string[]> | string[]])[]} */
  const checks = [
    ['schemas', async () => schemaFaults(builds, await findKubernetesSchemas(env))],
    ['pods', () => inEach((manifests) => [...podFaults(manifests), ...referenceFaults(manifests)])],
    ['settings', () => inEach((manifests) => environmentFaults(manifests, settings))],
    ['metrics', () => inEach((manifests) => metricFaults(manifests, metrics))],
    ['rules', async () => ruleFaults(await findPromtool(env))],
    ['image and compose file', async () => imageFaults(await findHadolint(env))],
  ];
  for (const [name, check] of checks) {
    const faults = await step(`checking ${name}`, async () => check());
    if (faults.length === 0) continue;
    for (const fault of faults) console.error(fault);
    say(`${name}: not good. docs/deploy/kubernetes.md says what the manifests must be.`);
    process.exit(1);
  }
  say(`${checks.map(([name]) => name).join(', ')}: all good`);
} catch (error) {
  giveUp(error);
}
