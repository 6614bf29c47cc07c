// Prometheus' own checker reads every expression of rules and dashboards, and runs the tests of the rules.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { inRoot } from '../setup/root.mjs';
import { run } from '../setup/run.mjs';
import { expressionsOf } from './check-names.mjs';

const FOLDER = ['k8s', 'components', 'prometheus'];

/**
 * @param {string} promtool
 * @returns {Promise<string[]>} what is wrong
 */
export async function ruleFaults(promtool) {
  const { spec } = parse(await readFile(inRoot(...FOLDER, 'rules.yaml'), 'utf8'));
  const tests = await readFile(inRoot(...FOLDER, 'rules.test.yaml'), 'utf8');
  const { panels } = JSON.parse(await readFile(inRoot(...FOLDER, 'dashboard.json'), 'utf8'));
  const work = await mkdtemp(join(tmpdir(), 'weft-rules-'));
  try {
    const shown = expressionsOf(panels).map((expr, i) => ({ record: `panel:${i}`, expr }));
    await writeFile(join(work, 'rules.json'), JSON.stringify(spec));
    await writeFile(join(work, 'rules.test.yaml'), tests);
    await writeFile(join(work, 'dashboard.json'), JSON.stringify({ groups: [{ name: 'dashboard', rules: shown }] }));
    const runs = [
      ['check', 'rules', 'rules.json', 'dashboard.json'],
      ['test', 'rules', 'rules.test.yaml'],
    ];
    const outcomes = await Promise.all(runs.map((args) => run(promtool, args, { cwd: work })));
    return [
      ...outcomes.filter(({ code }) => code !== 0).map(({ output }) => output.trim()),
      ...untested(
        spec.groups.flatMap((/** @type {any} */ { rules }) => rules),
        parse(tests).tests,
      ),
    ];
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * @param {readonly { alert: string }[]} rules
 * @param {readonly { alert_rule_test: readonly { alertname: string, exp_alerts: readonly unknown[] }[] }[]} tests
 * @returns {string[]} rules without a test of what they fire on, and of what they are silent on
 */
function untested(rules, tests) {
  const all = tests.flatMap(({ alert_rule_test: cases }) => cases);
  return rules.flatMap(({ alert }) => {
    const own = all.filter(({ alertname }) => alertname === alert);
    const fires = own.some(({ exp_alerts: expected }) => expected.length > 0);
    const isSilent = own.some(({ exp_alerts: expected }) => expected.length === 0);
    return fires && isSilent
      ? []
      : [`${alert}: rules.test.yaml needs a test in which it fires, and one in which it is silent`];
  });
}
