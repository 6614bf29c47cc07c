// @ts-check
// `npm run screenshots`: starts a Weft of its own, makes the company that the tests look at, and writes the pictures of the dashboard
// that the documents show to docs/images/, or, with `-- <part of a name>`, those. Look at them before you commit them, and remove
// those that it says no document shows.
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fixture, withOwnWeft } from './own-weft.mjs';
import { inRoot } from './setup/root.mjs';
import { say } from './setup/say.mjs';
import { giveUp } from './setup/trouble.mjs';

const OUT = inRoot('docs', 'images');
const [WIDE, NARROW] = [1440, 380];
const WANTED = process.argv[2] ?? '';

try {
  await withOwnWeft(takeAll);
} catch (error) {
  giveUp(error);
}

/** @param {import('./own-weft.mjs').OwnWeft} weft */
async function takeAll({ context, send }) {
  const { demoCompany } = await fixture('demo-company');
  const { demoFlows } = await fixture('demo-flows');
  const { demoPeople } = await fixture('demo-people');
  const demo = await demoCompany({
    send,
    createFlow: async (/** @type {unknown} */ fields) => (await send('POST', '/api/v1/flows', fields)).body,
    addLayer: async (/** @type {string} */ flow, /** @type {unknown} */ layer) =>
      (await send('POST', `/api/v1/flows/${flow}/layers`, layer)).body,
    run: async (/** @type {string} */ flow, /** @type {unknown} */ body) =>
      (await send('POST', `/api/v1/flows/${flow}/run`, body)).body,
  });
  const { body: me } = await send('GET', '/api/v1/auth/me');
  await demoPeople({ send }, me.company_id, demo.invoices);
  await demoFlows({ send }, demo);
  await mkdir(OUT, { recursive: true });
  const all = pagesOf(demo).filter(([name]) => name.includes(WANTED));
  const shown = await shownImages();
  for (const [name, path, text] of all) {
    const isNarrow = name.endsWith('-narrow');
    const page = await context.newPage();
    await page.setViewportSize({ width: isNarrow ? NARROW : WIDE, height: isNarrow ? 800 : 860 });
    await page.goto(path);
    await page.getByText(text).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(OUT, `${name}.png`) });
    await page.close();
    say(`docs/images/${name}.png${shown.includes(`${name}.png`) ? '' : ', which no document shows'}`);
  }
}

/** What documents refer to. */
async function shownImages() {
  const files = await readdir(inRoot('docs'), { recursive: true });
  const texts = await Promise.all(
    files.filter((file) => file.endsWith('.md')).map((file) => readFile(inRoot('docs', file), 'utf8')),
  );
  return texts.flatMap((text) => [...text.matchAll(/images\/([\w-]+\.png)/g)].map(([, image]) => image));
}

/** @typedef {readonly (readonly [name: string, path: string, text: string])[]} Pages `text`: what says that it is there */

/**
 * @param {import('../test/fixtures/demo-company.js').DemoCompany} demo
 * @returns {Pages}
 */
function pagesOf({ orders, done, failed }) {
  return [
    ['overview', '/overview', 'Plays that ended'],
    ['plays', '/plays', 'Order intake'],
    ['play-failed', `/plays/${failed}`, 'no country for Grace Hopper'],
    ['play-failed-narrow', `/plays/${failed}`, 'no country for Grace Hopper'],
    ['compare', `/compare?a=${done}&b=${failed}`, 'Arguments of the run'],
    ['first-steps', '/flows?new=recipe', 'A report by mail'],
    ['flow', `/flows/${orders}`, 'Sum up the order'],
    ['flow-figures', `/flows/${orders}?tab=figures`, 'Time by layer'],
    ['flow-versions', `/flows/${orders}?tab=versions&from=1&to=3`, 'added'],
    ['flow-test-cases', `/flows/${orders}?tab=test-cases`, 'writes the sum'],
    ['flow-access', `/flows/${orders}?tab=access`, 'By role'],
    ['approvals', '/approvals', 'Pay 480 EUR'],
    ['admin-roles', '/admin/roles', 'Make and change flows'],
    ['admin-company', '/admin/company', 'Companies of the installation'],
    ['admin-retention', '/admin/retention', 'If the cleanup ran now'],
    ['admin-audit', '/admin/audit', 'grant created'],
    ['admin-health', '/admin/health', 'The API that answered'],
  ];
}
