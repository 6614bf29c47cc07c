// Builds the parts of a Kubernetes control plane from source into the download cache. Cold it takes about 15 minutes on two
// idle processors; built parts are kept.
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../servers/cache-dir.mjs';
import { run } from '../setup/run.mjs';
import { step } from '../setup/say.mjs';
import { Trouble, troubleFrom } from '../setup/trouble.mjs';
import { trimKeda } from './trim-keda.mjs';
import { SOURCES } from './versions.mjs';

/** @typedef {import('./versions.mjs').Source} Source */

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {{ keda?: boolean }} [options] whether KEDA is built, too
 * @returns {Promise<Readonly<Record<string, string>>>} the path of each binary by its name (`etcd`, `kube-apiserver`, `keda-operator`, …)
 */
export async function buildControlPlane(env, { keda = true } = {}) {
  /** @type {Record<string, string>} */
  const binaries = {};
  // One after the other: each build uses all processors.
  for (const source of SOURCES.filter(({ module }) => keda || !module.includes('/keda/'))) {
    for (const command of source.commands) {
      const path = join(folderOf(source, env), binaryName(source, command));
      binaries[binaryName(source, command)] = path;
      if (await exists(path)) continue;
      await step(`building ${binaryName(source, command)} ${source.version}`, () => build(source, command, path, env));
    }
  }
  return binaries;
}

/**
 * @param {Source} source
 * @param {string} command
 * @param {string} path
 * @param {NodeJS.ProcessEnv} env
 */
async function build(source, command, path, env) {
  const work = join(folderOf(source, env), 'module');
  await mkdir(work, { recursive: true });
  await writeFile(join(work, 'go.mod'), await goMod(source, join(folderOf(source, env), 'source'), env));
  const draft = `${path}-${process.pid}`;
  const target = command === '.' ? source.module : `${source.module}/${command}`;
  try {
    const built = await go(['build', '-mod=mod', '-trimpath', '-ldflags=-s -w', '-o', draft, target], work, env);
    if (built.code !== 0) throw troubleFrom(`Building ${target}`, built.output);
    // It gets its name only when it is complete.
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * A module that requires the source, with the replacements that its own `go.mod` makes: Go heeds those of the main module only.
 * @param {Source} source
 * @param {string} trimmed where a source goes of which not all is built
 * @param {NodeJS.ProcessEnv} env
 */
async function goMod({ module, version, isTrimmed }, trimmed, env) {
  const fetched = await go(['mod', 'download', '-json', `${module}@${version}`], undefined, env);
  if (fetched.code !== 0) throw troubleFrom(`Fetching ${module}`, fetched.output);
  const { GoMod: file, Dir: folder } = JSON.parse(fetched.output);
  const text = await readFile(file, 'utf8');
  const goLine = /^go \S+$/m.exec(text)?.[0] ?? '';
  const replaced = [...text.matchAll(/^(?:replace)?\s+(\S+)(?: \S+)? => (\S+)(?: (\S+))?$/gm)].flatMap(
    ([, from, to, at]) => replacement({ from: String(from), to: String(to), at, version }),
  );
  if (isTrimmed) {
    await trimKeda(folder, trimmed);
    replaced.push(`replace ${module} => ${trimmed}`);
  }
  return ['module weft.local/build', goLine, `require ${module} ${version}`, ...replaced, ''].join('\n');
}

/**
 * A folder inside of the source is published as a module of its own, with the same minor and patch version as Kubernetes.
 * @param {{ from: string, to: string, at: string | undefined, version: string }} line
 */
function replacement({ from, to, at, version }) {
  if (at !== undefined) return [`replace ${from} => ${to} ${at}`];
  if (to.startsWith('./staging/')) return [`replace ${from} => ${from} ${version.replace(/^v1\./, 'v0.')}`];
  return [];
}

/**
 * @param {readonly string[]} args
 * @param {string | undefined} cwd
 * @param {NodeJS.ProcessEnv} env
 */
async function go(args, cwd, env) {
  const outcome = await run('go', args, { cwd, env: { ...env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' } });
  if (outcome.code === 127) throw new Trouble('go was not found.', 'Install Go 1.26 or later and put it on the PATH.');
  return outcome;
}

/**
 * @param {Source} source
 * @param {NodeJS.ProcessEnv} env
 */
function folderOf({ module, version }, env) {
  return join(cacheDir(env), 'k8s', `${module.replaceAll('/', '-')}-${version}`);
}

/**
 * @param {Source} source
 * @param {string} command
 */
function binaryName({ module }, command) {
  if (command === '.') return 'etcd';
  const name = command.replace('cmd/', '');
  return module.includes('/keda/') ? `keda-${name}` : name;
}

/** @param {string} path */
function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
