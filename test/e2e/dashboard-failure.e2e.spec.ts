import { ledgerServer } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { faultsOfLooks, openDashboard } from './harness/dashboard.js';

const { admin, visit } = await openDashboard();

/** A shop that refuses one of its orders. */
const shop = await ledgerServer();
afterAll(() => shop.close());
const ORDERS = [101, 102, 104, 105, 106].map((id) => ({ id, total: id / 10 }));
let hasVat = false;
shop.answerWith(({ path, body }) => {
  if (path === '/orders') return { headers: { 'content-type': 'application/json' }, body: { orders: ORDERS } };
  const isRefused = body.includes('104') && !hasVat;
  return isRefused ? { status: 422, body: { error: 'order 104 has no VAT number' } } : { body: { stored: true } };
});

/** Pushes each order of the shop, one after the other. */
async function failedLoop(): Promise<string> {
  const { id } = await admin.createFlow({ name: 'Push orders', enabled: true });
  await admin.addLayer(id, { ref: 'orders', appId: 'web-request', args: { url: `${shop.url}/orders` } });
  await admin.addLayer(id, {
    ref: 'push',
    appId: 'web-request',
    name: 'Push each order',
    args: {
      method: 'POST',
      url: `${shop.url}/push`,
      headers: { 'X-Token': 'a token that nobody sees' },
      body: { order: '{{ $item.id }}', total: '{{ $item.total * 100 }}', by: '{{ $prev.args.by }}' },
    },
    forEach: { in: '{{ .orders.json.orders }}' },
  });
  const { playId } = await admin.run(id, { args: { by: 'night shift' }, wait: 10_000 });
  return playId;
}

describe('a layer that failed in the middle of a loop', () => {
  it('shows what the item was given, each value with its expression', async () => {
    const playId = await failedLoop();
    const { page, go, faults } = await visit(admin);
    await go(`/plays/${playId}`);
    await page.getByRole('tab', { name: 'Input' }).click();
    const input = page.getByRole('group', { name: 'Input of push' });
    await input.getByText('{{ $item.total * 100 }}').waitFor();
    const rows = (await input.innerText()).split('\n').map((line) => line.trim());
    expect(rows).toEqual(expect.arrayContaining(['104', '{{ $item.id }}', '1040', '"night shift"', '"[secret]"']));
    expect(rows).not.toContain('a token');
    await expect.poll(() => page.getByLabel('Item, counted from 0').inputValue()).toBe('2');
    expect(await faultsOfLooks(page)).toEqual([]);

    await page.getByLabel('Item, counted from 0').fill('0');
    await input.getByText('101', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toContain('item=0');
    expect(faults).toEqual([]);
  });

  it('says which item it was, and lists all of them, the failed one first, with what each was given and gave', async () => {
    const playId = await failedLoop();
    const { page, go, faults } = await visit(admin);
    await go(`/plays/${playId}?ref=push`);
    await page.getByRole('alert').getByText('item 2 of 5: id 104').waitFor();
    // why it was refused is in the answer, which is shown first
    await page.getByRole('alert').getByText('order 104 has no VAT number').waitFor();
    await page.getByRole('group', { name: 'Output of push' }).getByText('order 104 has no VAT number').waitFor();
    await page.getByRole('tab', { name: 'Items' }).click();
    await page.getByText('1 failed; 3 of 5 are listed.').waitFor();
    const rows = page.locator('details');
    await expect.poll(() => rows.locator('summary').allInnerTexts()).toHaveLength(3);
    const words = (await rows.locator('summary').allInnerTexts()).map((text) => text.split('\n').slice(0, 2).join(' '));
    expect(words).toEqual(['Item 2 Failed', 'Item 0 Done', 'Item 1 Done']);
    await rows.first().locator('summary').press('Enter');
    await page.getByRole('group', { name: 'Output of item 2 of push' }).getByText('no VAT number').waitFor();
    await rows.first().getByRole('tab', { name: 'Input' }).click();
    await page.getByRole('group', { name: 'Input of push' }).getByText('104', { exact: true }).waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describe('a failure that is mended', () => {
  it('says so in the list, on its page and by its absence from the overview, without being read again', async () => {
    hasVat = false;
    const playId = await failedLoop();
    const [list, overview, page] = [await visit(admin), await visit(admin), await visit(admin)];
    await list.go('/plays');
    await overview.go('/overview');
    await page.go(`/plays/${playId}`);
    const row = list.page.locator(`[data-play="${playId}"]`);
    await row.getByText('Failed', { exact: true }).waitFor();
    const failure = overview.page.locator(`a[href$="/plays/${playId}"]`);
    await failure.waitFor();
    await expect.poll(() => page.page.getByText('tried again as').count()).toBe(0);
    hasVat = true;
    const retry = await admin.must<{ playId: string }>(202, 'POST', `/api/v1/plays/${playId}/retry`);
    await row.getByText('Failed, mended').waitFor();
    await page.page.getByText('Failed, mended').waitFor();
    await page.page.getByRole('link', { name: retry.playId }).waitFor();
    await failure.waitFor({ state: 'detached' });
    await list.page.getByText('Failed, mended').first().waitFor();
    for (const { page: seen, faults } of [list, overview, page]) {
      expect(await faultsOfLooks(seen)).toEqual([]);
      expect(faults).toEqual([]);
    }
    await list.go('/plays?state=FAIL&mended=false');
    await list.page.getByText('Not mended').waitFor();
    await expect.poll(() => row.count()).toBe(0);
  });
});

describe('an output', () => {
  const HTML = `<!doctype html><style>h1 { color: rgb(1, 2, 3) }</style><h1>Dear Ada</h1>
    <p style="color: rgb(4, 5, 6)">Your order is on its way.</p>
    <script>document.body.innerHTML = 'taken over'</script><img src="${shop.url}/pixel"><a href="${shop.url}/away">Away</a>
    <style>@import url(${shop.url}/style); p { background: url(${shop.url}/background) }</style>
    <meta http-equiv="refresh" content="0;url=${shop.url}/refresh"><link rel="preconnect" href="${shop.url}">`;
  const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"><script>alert(1)</script></svg>';

  const LARGE = "Array.from({ length: 60_000 }, (_, id) => ({ id, note: 'n'.repeat(80) }))";

  async function playOf(layer: object): Promise<string> {
    const { id } = await admin.createFlow({ name: 'Gives something', layers: [{ ref: 'it', ...layer }] });
    const { playId } = await admin.run(id, { args: {} });
    await admin.waitForPlay(playId);
    return playId;
  }

  it('that is a page is shown as one, without scripts, and nothing is fetched; and as the text that it is', async () => {
    const playId = await playOf({ appId: 'code', args: { source: `return ${JSON.stringify({ html: HTML })}` } });
    const { page, go, faults } = await visit(admin);
    await go(`/plays/${playId}`);
    await page.getByRole('button', { name: /^html.*show all$/ }).click();
    const dialog = page.getByRole('dialog');
    const frame = dialog.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Dear Ada' }).waitFor();
    const inner = await (await dialog.locator('iframe').elementHandle())?.contentFrame();
    const colorOf = (selector: string) =>
      inner?.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).color`);
    expect([await colorOf('h1'), await colorOf('p')]).toEqual(['rgb(1, 2, 3)', 'rgb(4, 5, 6)']);
    await frame.getByText('Away').click();
    await frame.getByText('Your order is on its way.').waitFor();
    expect(await faultsOfLooks(page, '[role=dialog]')).toEqual([]);
    await dialog.getByText('As text').click();
    await dialog.getByRole('region', { name: 'html' }).getByText("'taken over'").waitFor();
    expect(shop.calls.filter(({ path }) => /pixel|away|style|background|refresh/.test(path))).toEqual([]);
    // the policy has refused what the style would have fetched, and says so of styles that are read before they are made fit
    expect(faults.filter((each) => !/\/(?:style|background)|inline style/.test(each))).toEqual([]);
  });

  it.each([
    ['a program', { appId: 'code', args: { source: `return { rows: ${LARGE} }` } }],
    ['a request', { appId: 'web-request', args: { url: `${shop.url}/large` } }],
  ] as const)(
    'of %s that is too large for a page is seen by its beginning, a list by its first rows',
    async (_, layer) => {
      shop.answerWith(() => ({
        body: { rows: Array.from({ length: 60_000 }, (_each, id) => ({ id, note: 'n'.repeat(80) })) },
      }));
      const playId = await playOf(layer);
      const { page, go, faults } = await visit(admin);
      await go(`/plays/${playId}`);
      await page.getByRole('button', { name: 'Show its beginning' }).click();
      await page.getByText('Its beginning is shown: lists and texts go on.').waitFor();
      await page.getByText('Table of rows').click();
      const table = page.getByRole('region', { name: /rows of Output of it/ });
      await table.getByRole('columnheader', { name: 'note' }).waitFor();
      await expect.poll(() => table.getByRole('row').count()).toBe(101);
      await page.getByRole('button', { name: 'Show 100 more' }).click();
      await table.getByRole('row').nth(200).waitFor();
      expect(await faultsOfLooks(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  it('that refers to a picture shows it', async () => {
    shop.answerWith(() => ({ headers: { 'content-type': 'image/svg+xml' }, body: PICTURE }));
    const { page, go, faults } = await visit(admin);
    const args = { url: `${shop.url}/picture.svg`, responseType: 'file' };
    await go(`/plays/${await playOf({ appId: 'web-request', args })}`);
    await page.locator('figure img').waitFor();
    await expect.poll(() => page.evaluate<number>(`document.querySelector('figure img').naturalWidth`)).toBe(7);
    expect(await faultsOfLooks(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
