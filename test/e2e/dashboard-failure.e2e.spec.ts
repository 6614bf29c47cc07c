import { ledgerServer } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { faultsOfLooks, openDashboard } from './harness/dashboard.js';

const { admin, visit } = await openDashboard();

/** A shop that refuses one of its orders. */
const shop = await ledgerServer();
afterAll(() => shop.close());
const ORDERS = [101, 102, 104, 105, 106].map((id) => ({ id, total: id / 10 }));
shop.answerWith(({ path, body }) => {
  if (path === '/orders') return { headers: { 'content-type': 'application/json' }, body: { orders: ORDERS } };
  const isRefused = body.includes('104');
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
    expect(await page.getByLabel('Item, page or round').inputValue()).toBe('2');
    expect(await faultsOfLooks(page)).toEqual([]);

    await page.getByLabel('Item, page or round').fill('0');
    await input.getByText('101', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toContain('item=0');
    expect(faults).toEqual([]);
  });
});
