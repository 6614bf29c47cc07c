// @ts-check
// Writes the bill of materials of the image to standard output, as CycloneDX: every package that runs, or is bundled into the
// dashboard, each with its licence. npm makes it from node_modules; this adds Node itself, and the licences that packages name in
// a file only.
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LARGEST_BYTES = 64 * 1024 * 1024;

/** Licences that are missing in the package's package.json, by name and version: as its other files say. */
const READ_FROM_FILES = new Map([['pause@0.0.1', 'MIT']]);

/**
 * @typedef {{ name: string, version: string, type: string, licenses?: object[], [field: string]: unknown }} Component
 * @typedef {Component & { 'bom-ref': string }} Package
 * @typedef {{ ref: string, dependsOn?: string[] }} Edge
 * @typedef {{ bomFormat: string, metadata: { component: Component }, components: Package[], dependencies: Edge[] }} Bom
 */

/** @param {readonly string[]} args @returns {Promise<Bom>} */
async function askNpm(...args) {
  const command = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', ...args];
  const { stdout } = await promisify(execFile)('npm', command, { cwd: ROOT, maxBuffer: LARGEST_BYTES });
  return JSON.parse(stdout);
}

/** Names of the packages that the sources of the dashboard import. */
function importedByDashboard() {
  const source = join(ROOT, 'apps', 'dashboard', 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?<!\.spec)\.tsx?$/.test(path),
  );
  const imports = files.flatMap((path) => [...readFileSync(join(source, path), 'utf8').matchAll(IMPORT)]);
  return new Set(imports.map(([, name = '']) => name).filter((name) => !name.startsWith('@weft/')));
}

/** `from '@scope/name/part'`, `import 'name/styles.css'`: the name of the package. */
const IMPORT = /^(?:import|export|}).*?'((?:@[\w.-]+\/)?[\w-][\w.-]*)[^']*';/gm;

/** Packages that are reached from those names. @param {Bom} bom @param {ReadonlySet<string>} names @returns {Package[]} */
function reachedFrom({ components, dependencies }, names) {
  const edges = new Map(dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const reached = new Set();
  const open = components.filter(({ name }) => names.has(name)).map((each) => each['bom-ref']);
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (reached.has(ref)) continue;
    reached.add(ref);
    open.push(...(edges.get(ref) ?? []));
  }
  return components.filter((each) => reached.has(each['bom-ref']));
}

/** @type {Component} */
const NODE = {
  type: 'platform',
  name: 'node',
  version: process.versions.node,
  purl: `pkg:generic/node@${process.versions.node}`,
  licenses: [{ license: { id: 'MIT' } }],
};

/** @template {Component} T @param {T} component @returns {T} */
function withLicence(component) {
  if (component.licenses?.length) return component;
  const known = READ_FROM_FILES.get(`${component.name}@${component.version}`);
  if (known) return { ...component, licenses: [{ license: { id: known } }] };
  throw new Error(
    `${component.name}@${component.version} names no licence: read its files, then add it to READ_FROM_FILES`,
  );
}

const [bom, all] = await Promise.all([askNpm('--omit=dev'), askNpm()]);
const installed = new Set(bom.components.map((each) => each['bom-ref']));
const bundled = reachedFrom(all, importedByDashboard()).filter((each) => !installed.has(each['bom-ref']));
const edges = all.dependencies.filter(({ ref }) => bundled.some((each) => each['bom-ref'] === ref));
// npm takes the name of the folder
bom.metadata.component.name = 'weft';
const written = {
  ...bom,
  components: [NODE, ...[...bom.components, ...bundled].map(withLicence)],
  dependencies: [...bom.dependencies, ...edges],
};
process.stdout.write(`${JSON.stringify(written, null, 1)}\n`);
