// @ts-check
// `npm run screenshots`: starts a Weft of its own, makes the company that the tests look at, and writes a picture of every page of
// the dashboard to docs/images/, or, with `-- <part of a name>`, of those pages. Look at them before you commit them.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fixture, withOwnWeft } from './own-weft.mjs';
import { inRoot } from './setup/root.mjs';
import { say } from './setup/say.mjs';
import { giveUp } from './setup/trouble.mjs';

const OUT = inRoot('docs', 'images');
const [WIDE, NARROW] = [1440, 380];
/** @type {readonly (readonly [width: number, scheme: 'light' | 'dark'])[]} */
const LOOKS = [
  [WIDE, 'light'],
  [WIDE, 'dark'],
  [NARROW, 'light'],
];
/** The tests visit all pages in both schemes and widths; pictures of these show it. */
const LOOKED_AT_MOST = new Set([
  ...['overview', 'plays', 'play-failed', 'flows', 'flow', 'flow-versions', 'approvals'],
  ...['admin-users', 'admin-audit'],
]);
const WANTED = process.argv[2] ?? '';

try {
  await withOwnWeft(takeAll);
} catch (error) {
  giveUp(error);
}

/** @param {import('./own-weft.mjs').OwnWeft} weft */
async function takeAll({ browser, context, send, base }) {
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
  const people = await demoPeople({ send }, me.company_id, demo.invoices);
  const flows = await demoFlows({ send }, demo);
  await mkdir(OUT, { recursive: true });
  const outside = await browser.newContext({ baseURL: base, reducedMotion: 'reduce' });
  const pages = [...pagesOf({ ...demo, ...flows }), ...adminPagesOf(people)].filter(([name]) => name.includes(WANTED));
  for (const [name, path, text, isOutside] of pages) {
    const page = await (isOutside ? outside : context).newPage();
    for (const [width, scheme] of LOOKED_AT_MOST.has(name) ? LOOKS : LOOKS.slice(0, 1)) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: width === WIDE ? 860 : 800 });
      await page.goto(path);
      await page.getByText(text).first().waitFor();
      await page.waitForLoadState('networkidle');
      const file = `${name}${scheme === 'dark' ? '-dark' : ''}${width === NARROW ? '-narrow' : ''}.png`;
      await page.screenshot({ path: join(OUT, file) });
      say(`docs/images/${file}`);
    }
    await page.close();
  }
}

/**
 * @param {import('../test/fixtures/demo-company.js').DemoCompany & import('../test/fixtures/demo-flows.js').DemoFlows} demo
 * @returns {readonly (readonly [name: string, path: string, text: string, isOutside?: boolean])[]} `text`: what says that it is there
 */
function pagesOf({ orders, done, failed, waiting, webhook }) {
  return [
    ['sign-in', '/login', 'Sign in', true],
    ['invitation', '/invite?token=x', 'Set password', true],
    ['overview', '/overview', 'Plays that ended'],
    ['plays', '/plays', 'Order intake'],
    ['plays-filtered', `/plays?flowId=${orders}&state=FAIL`, 'Order intake'],
    ['play-failed', `/plays/${failed}`, 'no country for Grace Hopper'],
    ['play-done', `/plays/${done}?ref=letter`, 'your order costs'],
    ['play-past', `/plays/${failed}?seq=8`, 'Back to now'],
    ['play-waiting', `/plays/${waiting}`, 'Pay 480 EUR'],
    ['compare', `/compare?a=${done}&b=${failed}`, 'Arguments of the run'],
    ['flows', '/flows', 'Order intake'],
    ['flow', `/flows/${orders}`, 'Sum up the order'],
    ['flow-versions', `/flows/${orders}?tab=versions&from=1&to=3`, 'added'],
    ['flow-test-cases', `/flows/${orders}?tab=test-cases`, 'writes the sum'],
    ['flow-schedules', `/flows/${orders}?tab=schedules`, 'Monday to Friday'],
    ['flow-triggers', `/flows/${orders}?tab=triggers`, 'Deliveries to'],
    ['flow-access', `/flows/${orders}?tab=access`, 'By role'],
    ['flow-settings', `/flows/${orders}?tab=settings`, 'Blueprint: other flows'],
    ['schedules', '/schedules', 'Monday to Friday'],
    ['webhooks', '/webhooks', 'Orders to the warehouse'],
    ['webhook', `/webhooks/${webhook}`, 'Nothing was sent'],
    ['first-steps', '/flows?new=recipe', 'A report by mail'],
    ['documents', '/docs', 'the words of code and documents'],
    ['approvals', '/approvals', 'Pay 480 EUR'],
    ['account', '/account', 'Your companies'],
    ['account-password', '/account?tab=password', 'Change your password'],
    ['account-sessions', '/account?tab=sessions', 'Sign out everywhere'],
    ['account-keys', '/account?tab=keys', 'New key'],
  ];
}

/**
 * @param {import('../test/fixtures/demo-people.js').DemoPeople} people
 * @returns {ReturnType<typeof pagesOf>}
 */
function adminPagesOf({ grace, finance }) {
  return [
    ['bulk', '/bulk', 'None yet'],
    ['admin-users', '/admin/users', 'Grace Hopper'],
    ['admin-user', `/admin/users/${grace}`, 'Role and access'],
    ['admin-groups', '/admin/groups', 'Finance'],
    ['admin-group', `/admin/groups/${finance}`, 'Pay an invoice'],
    ['admin-grants', '/admin/grants', 'Pay an invoice'],
    ['admin-roles', '/admin/roles', 'Make and change flows'],
    ['admin-keys', '/admin/keys', 'No key yet'],
    ['admin-company', '/admin/company', 'Companies of the installation'],
    ['admin-integrations', '/admin/integrations', 'Book-keeping'],
    ['admin-retention', '/admin/retention', 'If the cleanup ran now'],
    ['admin-audit', '/admin/audit', 'grant created'],
    ['admin-queue', '/admin/queue', 'Shards'],
    ['admin-jobs', '/admin/jobs', 'retention'],
    ['admin-providers', '/admin/providers', 'Example accounts'],
    ['admin-settings', '/admin/settings', 'logging.level'],
    ['admin-health', '/admin/health', 'The API that answered'],
  ];
}
