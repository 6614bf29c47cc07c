// What kustomize makes of an overlay.
import { readdir } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { inRoot } from '../setup/root.mjs';
import { run } from '../setup/run.mjs';
import { Trouble } from '../setup/trouble.mjs';

/**
 * @typedef {{ apiVersion: string, kind: string, metadata: { name: string, namespace?: string, labels?: Record<string, string>, annotations?: Record<string, string> }, [field: string]: any }} Manifest
 * @typedef {{ overlay: string, manifests: readonly Manifest[] }} Build
 */

/**
 * @param {string} kubectl
 * @returns {Promise<readonly Build[]>} each overlay of k8s/overlays
 */
export async function buildOverlays(kubectl) {
  const overlays = (await readdir(inRoot('k8s', 'overlays'))).toSorted();
  return Promise.all(
    overlays.map(async (overlay) => ({ overlay, manifests: await buildFolder(kubectl, `k8s/overlays/${overlay}`) })),
  );
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
