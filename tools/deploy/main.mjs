// `npm run check:deploy`: what can be checked of the deployment without a cluster. It stops at the first check that finds something.
import { source } from '../docs/typescript-sources.mjs';
import { say, step } from '../setup/say.mjs';
import { giveUp } from '../setup/trouble.mjs';
import { canaryFaults } from './canary.mjs';
import { imageFaults } from './check-image.mjs';
import { environmentFaults, metricFaults, valueFaults } from './check-names.mjs';
import { podFaults, referenceFaults } from './check-pods.mjs';
import { ruleFaults } from './check-rules.mjs';
import { schemaFaults } from './check-schemas.mjs';
import { uploadFaults } from './check-uploads.mjs';
import { findHadolint, findKubectl, findKubernetesSchemas, findPromtool } from './deploy-tools.mjs';
import { buildOverlays } from './manifests.mjs';

/** @typedef {import('./manifests.mjs').Manifest} Manifest */

const { CATALOG } = await source('config/src/catalog');
const { METRICS, METRIC_PREFIX } = await source('observability/src/metrics/catalog');
const { loadSettings } = await source('config/src/load-settings');
const settings = new Set(Object.values(CATALOG).map(({ env }) => env));
const metrics = new Map(Object.entries(METRICS).map(([name, { type }]) => [`${METRIC_PREFIX}${name}`, type]));

try {
  await check();
} catch (error) {
  giveUp(error);
}

async function check() {
  const { env } = process;
  const builds = await step('building the overlays', async () => buildOverlays(await findKubectl(env)));
  const validate = await step('reading schemas', async () => schemaFaults(await findKubernetesSchemas(env)));
  const ofManifests = {
    schemas: validate,
    pods: (/** @type {readonly Manifest[]} */ all) => [...podFaults(all), ...referenceFaults(all)],
    uploads: uploadFaults,
    settings: (/** @type {readonly Manifest[]} */ all) => [
      ...environmentFaults(all, settings),
      ...valueFaults(all, loadSettings),
    ],
    metrics: (/** @type {readonly Manifest[]} */ all) => metricFaults(all, metrics),
  };
  for (const [name, faultsOf] of Object.entries(ofManifests)) {
    const inEach = async () =>
      Promise.all(
        builds.map(async ({ overlay, manifests }) =>
          (await faultsOf(manifests)).map((fault) => `${overlay}: ${fault}`),
        ),
      );
    await expectNone(name, async () => (await inEach()).flat());
  }
  const production = builds.find(({ overlay }) => overlay === 'prod')?.manifests ?? [];
  await expectNone('the checks themselves', () => canaryFaults(production, ofManifests));
  await expectNone('rules', async () => ruleFaults(await findPromtool(env)));
  await expectNone('image and compose file', async () => imageFaults(await findHadolint(env)));
  say('deployment: all good');
}

/**
 * @param {string} name
 * @param {() => Promise<string[]>} faultsOf
 */
async function expectNone(name, faultsOf) {
  const faults = await step(`checking ${name}`, faultsOf);
  if (faults.length === 0) return;
  for (const fault of faults) console.error(fault);
  say(`${name}: not good. docs/deploy/kubernetes.md says what the manifests must be.`);
  process.exit(1);
}
