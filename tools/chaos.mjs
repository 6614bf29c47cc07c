// `npm run chaos -- <spec> [--minutes <n>] [--seed <n>]`: runs one fault test of test/chaos in its long form for this many minutes
// (default 5). Clocks are set with libfaketime there. Last line: `N passed, N failed`.
import { readFile, readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { become } from './setup/run.mjs';
import { ROOT, inRoot } from './setup/root.mjs';

const CAMPAIGN = './harness/campaign-length.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' } },
});
const [name = ''] = positionals;
const campaigns = await campaignNames();
const isNumber = (/** @type {string} */ text) => /^\d+(\.\d+)?$/.test(text);

if (!campaigns.includes(name) || !isNumber(values.minutes) || !isNumber(values.seed)) {
  console.error(`usage: npm run chaos -- <${campaigns.join(' | ')}> [--minutes <n>] [--seed <n>]`);
  process.exit(2);
}
const spec = `test/chaos/${name}.spec.ts`;
const reporters = ['--reporter', 'verbose', '--reporter', './tools/totals-reporter.mjs'];
const env = { ...process.env, WEFT_CHAOS_MINUTES: values.minutes, WEFT_CHAOS_SEED: values.seed };
process.exit(
  await become(process.execPath, [inRoot('tools', 'test.mjs'), spec, ...reporters], {
    cwd: ROOT,
    env,
  }),
);

/** The names of the specs that can inject faults for any length of time. */
async function campaignNames() {
  const folder = inRoot('test', 'chaos');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.spec.ts'));
  const texts = await Promise.all(files.map((file) => readFile(inRoot('test', 'chaos', file), 'utf8')));
  const isCampaign = files.map((_, i) => texts[i]?.includes(CAMPAIGN));
  return files.filter((_, i) => isCampaign[i]).map((file) => file.replace('.spec.ts', ''));
}
