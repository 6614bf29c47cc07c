// What kustomize makes of an overlay.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { inRoot } from '../setup/root.mjs';
import { run } from '../setup/run.mjs';
import { Trouble } from '../setup/trouble.mjs';

/**
 * @typedef {{ apiVersion: string, kind: string, metadata: { name: string, namespace?: string, labels?: Record<string, string>, annotations?: Record<string, string> }, [field: string]: any }} Manifest
 * @typedef {{ overlay: string, manifests: readonly Manifest[] }} Build
 */

/** That no overlay names: an installation adds it to its own. */
const ADDED_TO_PROD = 'labelled-workers';

/**
 * @param {string} kubectl
 * @returns {Promise<readonly Build[]>} each overlay of k8s/overlays, and `prod` with the component that none of them names
 */
export async function buildOverlays(kubectl) {
  const overlays = (await readdir(inRoot('k8s', 'overlays'))).toSorted();
  const built = overlays.map(async (overlay) => ({
    overlay,
    manifests: await buildFolder(kubectl, `k8s/overlays/${overlay}`),
  }));
  return Promise.all([...built, withComponent(kubectl, ADDED_TO_PROD)]);
}

/**
 * @param {string} kubectl
 * @param {string} component
 * @returns {Promise<Build>}
 */
async function withComponent(kubectl, component) {
  const folder = await mkdtemp(join(tmpdir(), 'weft-overlay-'));
  try {
    const from = (/** @type {string[]} */ ...path) => relative(folder, inRoot('k8s', ...path));
    const overlay = { resources: [from('overlays', 'prod')], components: [from('components', component)] };
    await writeFile(join(folder, 'kustomization.yaml'), stringify({ ...overlay, namespace: 'weft' }));
    return { overlay: `prod with ${component}`, manifests: await buildFolder(kubectl, folder) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * @param {string} kubectl
 * @param {string} folder from the root
 * @returns {Promise<readonly Manifest[]>}
 */
export async function buildFolder(kubectl, folder) {
  const { code, output } = await run(kubectl, ['kustomize', folder], { cwd: inRoot() });
  if (code !== 0) throw new Trouble(`kustomize does not build ${folder}.`, output.trim());
  return parseManifests(output);
}

/**
 * @param {string} text
 * @returns {readonly Manifest[]}
 */
export function parseManifests(text) {
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** @param {Manifest} manifest */
export const nameOf = ({ kind, metadata }) => `${kind}/${metadata.name}`;

/**
 * @param {readonly Manifest[]} manifests
 * @param {string} kind
 */
export const ofKind = (manifests, kind) => manifests.filter((manifest) => manifest.kind === kind);
