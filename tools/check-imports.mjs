// Checks the import rules over the code, and over the canary, which must break every one of them.
import { createRequire } from 'node:module';
import { run } from './setup/run.mjs';
import { NODE24, ROOT, inRoot } from './setup/root.mjs';

const CRUISER = inRoot('node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');
const RULES = inRoot('.dependency-cruiser.cjs');

/** @returns {Promise<boolean>} whether all is as it must be */
export async function checkImports() {
  const silent = await rulesThatLetTheCanaryPass();
  if (silent.length > 0) {
    console.error(`These import rules do not work, the canary broke them unseen: ${silent.join(', ')}`);
    return false;
  }
  const { code } = await run(NODE24, [CRUISER, 'libs', 'apps', 'test', '--config', RULES], { cwd: ROOT, show: true });
  return code === 0;
}

async function rulesThatLetTheCanaryPass() {
  const args = [CRUISER, 'libs', 'apps', '--config', RULES, '--output-type', 'json'];
  const { output } = await run(NODE24, args, { cwd: inRoot('tools', 'canary') });
  /** @type {import('dependency-cruiser').ICruiseResult} */
  const { summary } = JSON.parse(output);
  const broken = new Set(summary.violations.map(({ rule }) => rule.name));
  /** @type {import('dependency-cruiser').IConfiguration} */
  const { forbidden = [] } = createRequire(import.meta.url)(RULES);
  return forbidden.map(({ name }) => name ?? 'a rule without name').filter((name) => !broken.has(name));
}
