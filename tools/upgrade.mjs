// `npm run test:upgrade [-- --from <tag or commit>]`: starts the build of the newest release before this tree, lets it accept plays of
// all kinds, replaces its processes by those of this tree under load, and looks whether every play has ended once. The release is built
// next to this checkout, from its tag. In a clone without such a tag it says so, and runs what can be shown without one.
// `--make-database`: makes test/fixtures/released with that build (default: with this one) instead. Last line: `N passed, N failed`.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheDir } from './servers/cache-dir.mjs';
import { endWithNpm } from './setup/end-with-npm.mjs';
import { inRoot, ROOT } from './setup/root.mjs';
import { become, run } from './setup/run.mjs';
import { say, step } from './setup/say.mjs';
import { explain, Trouble, troubleFrom } from './setup/trouble.mjs';

const RELEASED = inRoot('test', 'fixtures', 'released');
/** What is shown of upgrades where no release is known. */
const WITHOUT_RELEASE = [
  'test/e2e/released-database.e2e.spec.ts',
  'test/chaos/rolling-restart.spec.ts',
  'libs/records/src/operations/migrations.int.spec.ts',
];
const SET_UP = "import { setUp } from './tools/setup/set-up.mjs'; await setUp();";

endWithNpm();
try {
  const { values } = parseArgs({
    options: { from: { type: 'string' }, 'make-database': { type: 'boolean', default: false } },
  });
  process.exit(values['make-database'] ? await makeDatabase(values.from) : await upgrade(values.from));
} catch (error) {
  explain(error);
  console.log('0 passed, 1 failed');
  process.exit(1);
}

/** @param {string | undefined} wanted */
async function upgrade(wanted) {
  const ref = wanted ?? (await newestRelease());
  if (ref === null) {
    say(
      'test:upgrade: this clone has no tag of a release before this tree, so there is no build to upgrade from. Instead:',
    );
    say(`  ${WITHOUT_RELEASE.join('\n  ')}`);
    say('  (the database that a release has left; replaced processes of this build; migrations that are made up)');
    return test(WITHOUT_RELEASE, {});
  }
  const build = await released(ref);
  say(`test:upgrade: from ${ref} (${build.version}) to this tree`);
  const env = { WEFT_RELEASED_BUILD: build.root };
  return test(
    ['test/upgrade/upgrade.spec.ts', '--reporter', 'verbose', '--reporter', './tools/totals-reporter.mjs'],
    env,
  );
}

/** @param {string | undefined} ref */
async function makeDatabase(ref) {
  const build = ref === undefined ? { root: ROOT, version: await versionIn(ROOT) } : await released(ref);
  const file = `${build.version}.weft-backup`;
  const env = { WEFT_RELEASED_BUILD: build.root, WEFT_DATABASE_TO: join(RELEASED, file) };
  const code = await test(['test/upgrade/make-database.spec.ts'], env);
  if (code === 0) {
    for (const other of readdirSync(RELEASED)) if (other !== file) rmSync(join(RELEASED, other));
  }
  return code;
}

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function test(args, env) {
  return become(process.execPath, [inRoot('tools', 'test.mjs'), ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
}

/** @returns {Promise<string | null>} the newest tag of a release of which this tree is not a build itself */
async function newestRelease() {
  const { code, output } = await run('git', ['tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-v:refname'], {
    cwd: ROOT,
  });
  const tags = code === 0 ? output.split('\n').filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag)) : [];
  for (const tag of tags) {
    const isSame = (await run('git', ['diff', '--quiet', tag, '--'], { cwd: ROOT })).code === 0;
    if (!isSame) return tag;
  }
  return null;
}

/**
 * Builds a release in the folder of downloads, once.
 * @param {string} ref
 */
async function released(ref) {
  const asked = await run('git', ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { cwd: ROOT });
  const commit = asked.output.trim();
  if (asked.code !== 0)
    throw new Trouble(`This clone has no ${ref}.`, 'git fetch --tags, or name another one: --from v1.0.0');
  const root = join(cacheDir(process.env), 'released', commit);
  if (!existsSync(root)) {
    await run('git', ['worktree', 'prune'], { cwd: ROOT });
    const made = await run('git', ['worktree', 'add', '--detach', root, commit], { cwd: ROOT });
    if (made.code !== 0) throw troubleFrom(`Checking out ${ref}`, made.output);
  }
  const built = await step(`installing and building ${ref}`, () =>
    run(process.execPath, ['--input-type=module', '--eval', SET_UP], { cwd: root }),
  );
  if (built.code !== 0) throw troubleFrom(`Building ${ref} in ${root}`, built.output);
  return { root, version: await versionIn(root) };
}

/** @param {string} root */
async function versionIn(root) {
  return /** @type {string} */ (JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version);
}
