import { mcpServer, waitFor } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { demoFlows } from '../fixtures/demo-flows.js';
import { demoPeople } from '../fixtures/demo-people.js';
import { faultsOfPage, openDashboard, type PageSeen } from './harness/dashboard.js';
import { faultsOfOpened } from './harness/openers.js';

const { admin, demo, companyId, visit } = await openDashboard();
const [people, { blueprint, webhook }] = await Promise.all([
  demoPeople(admin, companyId, demo.invoices),
  demoFlows(admin, demo),
]);

const DOCUMENT = {
  ...{ openapi: '3.1.0', info: { title: 'Shop', version: '7' }, servers: [{ url: 'https://shop.example.com' }] },
  paths: { '/orders': { post: { operationId: 'createOrder', summary: 'Create an order', responses: { 200: {} } } } },
};
const tools = await mcpServer('2026', {
  tools: [{ name: 'add', title: 'Add two numbers', inputSchema: { type: 'object' } }],
  perform: () => ({ content: [] }),
});
afterAll(() => tools.close());

async function importedOf(noun: 'apis' | 'mcp-servers', body: object): Promise<string> {
  const { id } = await admin.must<{ id: string }>(202, 'POST', `/api/v1/${noun}`, body);
  const state = async () => (await admin.must<{ state: string }>(200, 'GET', `/api/v1/${noun}/${id}`)).state;
  await waitFor(async () => (await state()) === 'ready', { what: 'what is imported' });
  return id;
}

const [api, server] = await Promise.all([
  importedOf('apis', { name: 'The shop', source: { document: JSON.stringify(DOCUMENT) } }),
  importedOf('mcp-servers', { name: 'The adder', url: tools.url }),
]);

/** A page that a person without a session sees. */
const OUTSIDE: readonly PageSeen[] = [
  ['/login', 'Sign in'],
  ['/invite?token=x', 'Set password'],
  ['/reset-password?token=x', 'Set password'],
];

/** What is done on a page before something of it is opened. */
const BEFORE: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '/plays': (page) => page.getByLabel('Select all that are shown').check(),
};

/** What rows of a page say, too. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  // each kind of process
  '/admin/health': ['takes requests and serves sockets', 'executes plays', 'fires schedules, reads sources'],
};

/** Every page of the dashboard, as an admin sees it. */
const PAGES: readonly PageSeen[] = [
  ['/overview', 'Plays that ended'],
  ['/plays', 'Order intake'],
  ['/plays?state=SKIP', 'No play matches'],
  ['/bulk', 'Bulk operations'],
  [`/plays/${demo.failed}`, 'no country for Grace Hopper'],
  [`/plays/${demo.done}?ref=letter`, 'your order costs'],
  [`/plays/${demo.held}`, 'Release'],
  [`/compare?a=${demo.done}&b=${demo.failed}`, 'Arguments of the run'],
  ['/approvals', 'Pay 480 EUR'],
  ['/flows', 'Order intake'],
  ['/flows?show=blueprints', 'Greet a customer'],
  ['/flows?q=nothing', 'No flow matches'],
  [`/flows/${blueprint}`, 'Make a flow from it'],
  [`/flows/${demo.orders}`, 'Sum up the order'],
  [`/flows/${demo.orders}?tab=figures`, 'Time by layer'],
  [`/flows/${demo.orders}?tab=versions&from=1&to=3`, 'added'],
  [`/flows/${demo.orders}?tab=test-cases`, 'writes the sum'],
  [`/flows/${demo.orders}?tab=schedules`, 'Monday to Friday'],
  [`/flows/${demo.orders}?tab=triggers`, 'Deliveries to'],
  [`/flows/${demo.orders}?tab=access`, 'By role'],
  [`/flows/${demo.orders}?tab=settings`, 'Blueprint: other flows'],
  ['/schedules', 'Monday to Friday'],
  ['/destinations', 'Destinations'],
  ['/webhooks', 'Orders to the warehouse'],
  [`/webhooks/${webhook}`, 'Nothing was sent'],
  ['/apis', 'The shop'],
  [`/apis/${api}`, 'Create an order'],
  [`/apis/${api}?q=nothing`, 'No operation has this text'],
  [`/mcp-servers/${server}`, 'Add two numbers'],
  ['/docs', 'the words of code and documents'],
  ['/docs/dashboard', 'The list of plays'],
  ['/docs/reference/errors#key_taken', 'key_taken'],
  ['/docs/nowhere', 'There is no such document'],
  ['/account', 'Your companies'],
  ['/account?tab=password', 'Change your password'],
  ['/account?tab=sessions', 'Sign out everywhere'],
  ['/account?tab=keys', 'New key'],
  ['/admin/users', 'Alan Turing'],
  [`/admin/users/${people.grace}`, 'Role and access'],
  ['/admin/groups', 'Finance'],
  [`/admin/groups/${people.finance}`, 'Pay an invoice'],
  ['/admin/grants', 'Pay an invoice'],
  ['/admin/roles', 'Make and change flows'],
  ['/admin/keys', 'API keys'],
  ['/admin/company', 'Companies of the installation'],
  ['/admin/integrations', 'Book-keeping'],
  ['/admin/retention', 'If the cleanup ran now'],
  ['/admin/audit', 'grant created'],
  ['/admin/queue', 'Shards'],
  ['/admin/jobs', 'retention'],
  ['/admin/providers', 'Example accounts'],
  ['/admin/settings', 'logging.level'],
  ['/admin/health', 'The API that answered'],
];

/** They show nothing: they lead on to another page, or close. */
const NO_PAGES = ['/', '/admin', '/signed-in'];

describe('every page, and whatever opens from it, narrow or wide, light or dark', async () => {
  const [nobody, somebody] = [await visit(), await visit(admin)];
  const known = new Set<string>();

  it.each(OUTSIDE)('%s is usable by everybody', async (...page) => {
    expect(await faultsOfPage(nobody, page)).toEqual([]);
  });

  it.each(PAGES)('%s is usable by everybody', async (path, text) => {
    expect(await faultsOfPage(somebody, [path, text])).toEqual([]);
    for (const hasText of ROWS[path] ?? []) await somebody.page.getByRole('row').filter({ hasText }).first().waitFor();
    expect(await faultsOfOpened(somebody, path, known, BEFORE[path])).toEqual([]);
    expect(somebody.faults).toEqual([]);
  });

  it('is one of these', async () => {
    await somebody.go('/overview');
    const routes = await somebody.page.evaluate<string[]>('Object.keys(__TSR_ROUTER__.routesByPath)');
    const paths = [...OUTSIDE, ...PAGES].map(([path]) => path.replace(/[?#].*/, ''));
    const missing = routes.filter((route) => {
      const pattern = new RegExp(`^${route.replace(/\/$/, '').replaceAll(/\$\w+/g, '[^/]+').replace(/\$$/, '.*')}/?$`);
      return !NO_PAGES.includes(route.replace(/(?<=.)\/$/, '')) && !paths.some((path) => pattern.test(path));
    });
    expect(routes.length).toBeGreaterThan(30);
    expect(missing).toEqual([]);
  });
});
