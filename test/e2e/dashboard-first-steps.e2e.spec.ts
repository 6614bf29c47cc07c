/** Somebody in a company that has nothing yet: recipes, curl commands, and the documents that the installation serves. */
import type { FlowView } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { faultsOfLooks } from './harness/dashboard.js';
import { sharedFleet } from './harness/fleet.js';
import { visitorsOf } from './harness/visitor.js';

const { admin } = await sharedFleet('standalone');
const { visit } = await visitorsOf(admin.url);

const DIALOG = '[role=dialog]';
const readFlow = (url: string) =>
  admin.must<FlowView>(200, 'GET', `/api/v1/flows/${new URL(url).pathname.split('/').at(-1)}`);

describe('a company without flows', () => {
  it('begins with a recipe, whose variables are filled in', async () => {
    const { page, go, faults } = await visit(admin);
    await go('/overview');
    await page.getByRole('link', { name: /Start from a recipe/ }).click();
    const dialog = page.getByRole('dialog', { name: 'New flow' });
    await dialog.getByRole('button', { name: /^Order sync/ }).waitFor();
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await dialog.getByLabel('Search recipes').fill('table mail');
    await dialog.getByRole('button', { name: /^Order sync/ }).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: /^A report by mail/ }).click();
    await expect.poll(() => dialog.getByLabel('shop').inputValue()).toBe('https://shop.example.com');
    await dialog.getByLabel('shop').fill('https://shop.test');
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await dialog.getByLabel('Name').fill('Nightly mail');
    await dialog.getByRole('button', { name: 'Make the flow' }).click();
    await page.getByRole('heading', { name: 'Nightly mail', level: 1 }).waitFor();
    expect(await readFlow(page.url())).toMatchObject({
      name: 'Nightly mail',
      enabled: false,
      layers: [{ ref: 'orders' }, { ref: 'sums' }, { ref: 'mail' }],
    });
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('mailServer').waitFor();
    expect(faults).toEqual([]);
  });

  it('gets the API that a recipe calls with it', async () => {
    const { page, go, faults } = await visit(admin);
    await go('/flows?new=recipe&recipe=refund');
    const dialog = page.getByRole('dialog', { name: 'New flow' });
    await dialog.getByText('operations of the API payments').waitFor();
    await dialog.getByRole('button', { name: 'Make the flow' }).click();
    await page.getByRole('heading', { name: 'Refund', level: 1 }).waitFor();
    expect((await readFlow(page.url())).layers?.[0]).toMatchObject({ appId: 'operation', args: { api: 'payments' } });
    expect(await admin.must(200, 'GET', '/api/v1/apis/payments')).toMatchObject({ state: 'ready' });
    expect(faults).toEqual([]);
  });

  it('makes a flow of a curl command, and hears what is wrong with one', async () => {
    const { page, go, faults } = await visit(admin);
    await go('/flows');
    await page.getByRole('button', { name: 'New flow' }).click();
    const dialog = page.getByRole('dialog', { name: 'New flow' });
    await dialog.getByRole('tab', { name: 'From a curl command' }).click();
    await dialog.getByLabel('Command').fill('curl --nonsense https://api.test');
    await dialog.getByText('curl would not take it').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Make the flow' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Command').fill(`curl -k 'https://api.test/orders?open=1' --json '{"a":1}'`);
    await dialog.getByText('Left out: -k.').waitFor();
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await dialog.getByRole('button', { name: 'Make the flow' }).click();
    await page.getByRole('heading', { name: 'POST api.test/orders' }).waitFor();
    const args = { url: 'https://api.test/orders', method: 'POST', query: { open: '1' }, body: { a: 1 } };
    expect((await readFlow(page.url())).layers).toMatchObject([{ ref: 'request', appId: 'web-request', args }]);
    expect(faults).toEqual([]);
  });

  it('is shown no first steps when it has three flows', async () => {
    const { page, go } = await visit(admin);
    const flows = await admin.must<{ items: readonly object[] }>(200, 'GET', '/api/v1/flows?size=3');
    expect(flows.items).toHaveLength(3);
    await go('/overview');
    await page.getByRole('heading', { name: 'Plays that ended' }).waitFor();
    await page.waitForLoadState('networkidle');
    await expect.poll(() => page.getByRole('link', { name: /Start from a recipe/ }).count()).toBe(0);
  });
});

describe('the documents', () => {
  it('are a click on “?” away from the page and the layer that they are about', async () => {
    const { page, go, faults } = await visit(admin);
    await go('/plays');
    const helped = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Documents about this page' }).click();
    const docs = await helped;
    await docs.getByRole('heading', { name: 'Plays', level: 1 }).waitFor();
    await docs.getByRole('heading', { name: 'Labels' }).waitFor();
    // a link of the text stays in the dashboard, and the address says where it is
    await docs.getByRole('article').getByRole('link', { name: 'lanes', exact: true }).first().click();
    await docs.waitForURL('**/docs/lanes*');
    // also at the form of a layer
    const { id } = await admin.createFlow({ name: 'One request' });
    await admin.addLayer(id, { ref: 'get', appId: 'web-request', args: { url: 'https://api.test' } });
    await go(`/flows/${id}`);
    await page.getByRole('link', { name: 'Documents about web-request' }).waitFor();
    await expect
      .poll(() => page.getByRole('link', { name: 'Documents about web-request' }).getAttribute('href'))
      .toBe('/docs/layers#web-request');
    expect(faults).toEqual([]);
  });

  it('are found by a title, a heading, a code or a word in the text', async () => {
    const { page, go, faults } = await visit(admin);
    await go('/docs');
    await page.getByText('the words of code and documents').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('retention');
    await page.getByRole('region', { name: 'Found' }).getByRole('link', { name: 'Retention', exact: true }).waitFor();
    await page.getByLabel('Find in the documents').fill('key_taken');
    await page.getByRole('link', { name: 'key_taken' }).click();
    await page.waitForURL('**/docs/reference/errors#key_taken');
    await page.getByLabel('Find in the documents').fill('fencing token');
    await page
      .getByRole('link', { name: /fencing/ })
      .first()
      .click();
    await page.waitForURL('**/docs/recipes#**');
    expect(await faultsOfLooks(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
