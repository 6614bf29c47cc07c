// Every manifest against the schemas of the supported versions of Kubernetes and of the resource definitions in k8s/schemas. Strict:
// an unknown field is a fault.
import { Ajv } from 'ajv';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot } from '../setup/root.mjs';
import { nameOf, parseManifests } from './manifests.mjs';

/** @typedef {import('./manifests.mjs').Manifest} Manifest */
/** @typedef {(manifest: Manifest) => Promise<readonly string[]>} Validate faults, if any */

export const SUPPORTED = ['1.34', '1.35', '1.36', '1.37'];

/**
 * @param {string} folder of the schemas of Kubernetes
 * @returns {Promise<(manifests: readonly Manifest[]) => Promise<string[]>>} what is wrong with manifests
 */
export async function schemaFaults(folder) {
  const custom = await customSchemas();
  const versions = await Promise.all(
    SUPPORTED.map(async (version) => ({
      version,
      validate: await kubernetesSchemas(join(folder, `v${version}.0-local-strict`)),
    })),
  );
  return async (manifests) => {
    const found = versions.flatMap(({ version, validate }) =>
      manifests.map(async (manifest) => {
        const faults = await (custom(manifest) ?? validate)(manifest);
        return faults.map((fault) => `Kubernetes ${version}: ${nameOf(manifest)}${fault}`);
      }),
    );
    return (await Promise.all(found)).flat();
  };
}

/**
 * @param {string} folder
 * @returns {Promise<Validate>}
 */
async function kubernetesSchemas(folder) {
  const ajv = newAjv();
  ajv.addSchema(await readJson(join(folder, '_definitions.json')), '/api/_definitions.json');
  /** @type {Map<string, Promise<import('ajv').ValidateFunction | null>>} */
  const compiled = new Map();
  return async (manifest) => {
    const name = schemaName(manifest);
    const compiling =
      compiled.get(name) ??
      readJson(join(folder, name)).then(
        (schema) => ajv.compile(schema),
        () => null,
      );
    compiled.set(name, compiling);
    return judge(await compiling, manifest);
  };
}

/** @param {Manifest} manifest */
function schemaName({ apiVersion, kind }) {
  const [version, group] = apiVersion.split('/').toReversed();
  return `${[kind.toLowerCase(), group?.split('.')[0], version].filter((part) => part !== undefined).join('-')}.json`;
}

/** @returns {Promise<(manifest: Manifest) => Validate | undefined>} */
async function customSchemas() {
  const ajv = newAjv();
  /** @type {Map<string, Validate>} */
  const known = new Map();
  for (const file of (await readdir(inRoot('k8s', 'schemas'))).filter((name) => name.endsWith('.yaml'))) {
    const [definition] = parseManifests(await readFile(inRoot('k8s', 'schemas', file), 'utf8')).filter(Boolean);
    for (const { name, schema } of definition?.spec.versions ?? []) {
      const validate = ajv.compile(strict(schema.openAPIV3Schema));
      known.set(`${definition?.spec.group}/${name} ${definition?.spec.names.kind}`, async (manifest) =>
        judge(validate, manifest),
      );
    }
  }
  return ({ apiVersion, kind }) => known.get(`${apiVersion} ${kind}`);
}

/**
 * The schema of a resource definition, without fields that it does not name: a server would drop them silently.
 * @param {any} schema
 * @returns {any}
 */
export function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const isClosed =
    typeof schema.properties === 'object' &&
    schema.type === 'object' &&
    schema.additionalProperties === undefined &&
    !schema['x-kubernetes-preserve-unknown-fields'];
  return isClosed ? { ...inner, additionalProperties: false } : inner;
}

/**
 * @param {import('ajv').ValidateFunction | null} validate
 * @param {unknown} value
 * @returns {readonly string[]}
 */
function judge(validate, value) {
  if (validate === null) return [': this version does not have this kind'];
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const unknown = 'additionalProperty' in params ? ` (${params.additionalProperty})` : '';
    return `${instancePath} ${message}${unknown}`;
  });
}

function newAjv() {
  return new Ajv({
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
    code: { regExp: goPattern },
  });
}

/**
 * Patterns of resource definitions are Go's, where a flag may be inside.
 * @param {string} pattern
 * @param {string} flags
 */
function goPattern(pattern, flags) {
  const ignoresCase = pattern.includes('(?i)');
  return new RegExp(pattern.replaceAll('(?i)', ''), ignoresCase ? `${flags}i` : flags);
}
goPattern.code = 'new RegExp';

/** @param {string} path */
async function readJson(path) {
  const { $schema: _draft, ...schema } = JSON.parse(await readFile(path, 'utf8'));
  return schema;
}
