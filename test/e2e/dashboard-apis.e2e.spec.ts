import { mcpServer, waitFor, type LedgerAnswer, type Offer, type OfferedTool } from '@weft/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { signedMcpServer } from '../fixtures/signed-mcp-server.js';
import { faultsOfLooks, openDashboard } from './harness/dashboard.js';
import { neighbourCompany, signedIn } from './harness/neighbour-company.js';
import { visitorsOf } from './harness/visitor.js';

const { fleet, admin, companyId, visit } = await openDashboard();
const { ledger } = fleet;

const documents = new Map<string, string>();
const answers = new Map<string, (query: URLSearchParams) => LedgerAnswer>();
ledger.answerWith(({ path, body }) => {
  const document = documents.get(path);
  if (document !== undefined) return { body: document };
  const { pathname, searchParams } = new URL(path, ledger.url);
  const answer = answers.get(pathname);
  if (answer) return answer(searchParams);
  return path === '/orders' ? { body: { id: 'o-7', received: body } } : { body: {} };
});

const text = (description: string) => ({ type: 'string', description });

/** A shop; `fields` are those of an order. */
function shop(fields: Readonly<Record<string, object>>, others: object = {}): string {
  const Order = { type: 'object', required: ['customer'], properties: { customer: text('Who buys.'), ...fields } };
  const order = { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } };
  return JSON.stringify({
    ...{ openapi: '3.1.0', info: { title: 'Shop', version: '7', description: 'Orders and their lines.' } },
    ...{ servers: [{ url: ledger.url }], components: { schemas: { Order } } },
    paths: {
      '/orders': {
        post: {
          ...{ operationId: 'createOrder', summary: 'Create an order', description: 'Reserves its lines.' },
          requestBody: { required: true, content: order },
          responses: { 200: { description: 'Made.', content: order } },
        },
      },
      '/orders/{id}/lines': {
        get: {
          ...{ deprecated: true, responses: { 200: { description: 'Lines.' } } },
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        },
      },
      ...others,
    },
  });
}

interface Api {
  readonly id: string;
  readonly state: string;
}

async function importApi(key: string, document: string): Promise<string> {
  documents.set(`/${key}.json`, document);
  const source = { url: `${ledger.url}/${key}.json` };
  const { id } = await admin.must<Api>(202, 'POST', '/api/v1/apis', { name: `The API ${key}`, key, source });
  await waitFor(async () => (await admin.must<Api>(200, 'GET', `/api/v1/apis/${id}`)).state === 'ready', {
    what: 'the API to be imported',
  });
  return id;
}

const offer: Offer = {
  tools: [],
  perform: ({ arguments: { first, second } = {} }) => ({
    content: [{ type: 'text', text: 'Added.' }],
    structuredContent: { sum: Number(first) + Number(second) },
  }),
};
const ADD: OfferedTool = {
  ...{ name: 'add', title: 'Add two numbers', description: 'Adds two numbers.', annotations: { readOnlyHint: true } },
  inputSchema: {
    type: 'object',
    properties: { first: { type: 'number' }, second: { type: 'number' } },
    required: ['first', 'second'],
  },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
};
const adder = await mcpServer('2026', offer);
afterAll(() => adder.close());

/** Pictures, wide and narrow, light and dark, for those who ask for them. */
async function shoot(page: Page, name: string): Promise<void> {
  const { SHOTS } = process.env;
  if (SHOTS === undefined) return;
  for (const [width, colorScheme] of [
    [380, 'dark'],
    [380, 'light'],
    [1_440, 'dark'],
    [1_440, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
    await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
  }
}

interface Pinned {
  readonly version: number;
  readonly layers: readonly { readonly args: { readonly digest: string } }[];
}

/** The version of a flow, and the state of the operation that its layer is pinned to. */
async function pinOf(flowId: string): Promise<readonly [number, string | undefined]> {
  const { version, layers } = await admin.must<Pinned>(200, 'GET', `/api/v1/flows/${flowId}`);
  return [version, layers[0]?.args.digest];
}

const calling = (api: string, operation: string, input: object) => ({
  layers: [{ ref: 'call', appId: 'operation', args: { api, operation, input } }],
});

const operations = (page: Page): Locator => page.getByRole('region', { name: 'Operations' });
const lastPart = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

describe('the address of an OpenAPI document', () => {
  it('is seven clicks from a play that called one of its operations', async () => {
    documents.set('/shop.json', shop({}));
    const visitor = await visit(admin);
    const { page } = visitor;
    let clicks = 0;
    const click = async (what: Locator): Promise<void> => {
      clicks += 1;
      await what.click();
    };
    await visitor.go('/plays');
    await click(page.getByRole('link', { name: 'APIs' }));
    await click(page.getByRole('button', { name: 'Import an API …' }));
    // the address has the focus
    await page.getByLabel('Address of the OpenAPI document').waitFor();
    await page.keyboard.type(`${ledger.url}/shop.json`);
    await shoot(page, '1-address');
    await click(page.getByRole('button', { name: 'Import', exact: true }));
    await page.getByRole('heading', { name: new URL(ledger.url).hostname }).waitFor();
    await page.getByText('2 operations were taken, each as the document says.').waitFor();
    await shoot(page, '2-imported');
    await click(operations(page).getByRole('button', { name: 'New flow with createOrder' }));
    await page.waitForURL('**/flows/*');
    const flowId = lastPart(page.url());
    await click(page.getByRole('textbox', { name: 'customer', exact: true }));
    // it would be an argument of the run
    await page.getByText('{{ $prev.args.customer }}').first().waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('Ada');
    await page.getByText('no problems').waitFor();
    await shoot(page, '3-form');
    await click(page.getByRole('button', { name: 'Run …' }));
    await shoot(page, '4-run');
    await click(page.getByRole('dialog').getByRole('button', { name: 'Save and run' }));
    await page.getByText('Its layer is through').waitFor();
    await shoot(page, '5-play');
    expect(clicks).toBe(7);
    expect(ledger.callsTo('/orders').map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ customer: 'Ada' }]);
    const { items } = await admin.must<{ items: object[] }>(200, 'GET', `/api/v1/plays?flowId=${flowId}`);
    expect(items).toMatchObject([{ state: 'DONE' }]);
    expect(visitor.faults).toEqual([]);
  });
});

describe('an API with the name of its host', () => {
  it('may be called as its document calls itself, and forms show that name', async () => {
    documents.set('/titled.json', shop({}));
    const source = { url: `${ledger.url}/titled.json` };
    const { hostname: name } = new URL(ledger.url);
    const { id } = await admin.must<Api>(202, 'POST', '/api/v1/apis', { name, source });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/apis/${id}`);
    await page.getByText('The document calls itself “Shop”.').waitFor();
    expect(await faultsOfLooks(page, 'main')).toEqual([]);
    await page.getByRole('button', { name: 'Call it that' }).click();
    await page.getByRole('heading', { name: 'Shop', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Call it that' }).count()).toBe(0);
    await operations(page).getByRole('button', { name: 'New flow with createOrder' }).click();
    await page.waitForURL('**/flows/*');
    await page.getByText('Shop / createOrder', { exact: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});

describe('the credentials that a document asks for', () => {
  const secured = (key: string, more: object = {}): string => {
    const document = JSON.parse(shop({})) as Readonly<Record<string, object>>;
    const { components, ...others } = document;
    const securitySchemes = {
      key: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Prefix "Shop-Key ", then the key.' },
    };
    return JSON.stringify({
      ...others,
      security: [{ [key]: [] }],
      components: { ...components, securitySchemes, ...more },
    });
  };

  it('are a link after one secret, with which a new flow calls', async () => {
    const id = await importApi('secured', secured('key'));
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/apis/${id}`);
    await page.getByText('none yet: its operations ask for credentials').waitFor();
    await page.getByRole('button', { name: 'Connect …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Prefix "Shop-Key ", then the key.').waitFor();
    await expect.poll(() => dialog.getByLabel('Text before the key').inputValue()).toBe('Shop-Key ');
    expect(await faultsOfLooks(page, '[role=dialog]')).toEqual([]);
    // it has the focus
    await page.keyboard.insertText('sesame');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('link', { name: 'The API secured', exact: true }).waitFor();
    const { integrationId } = await admin.must<{ integrationId: string }>(200, 'GET', `/api/v1/apis/${id}`);
    const link = await admin.must<object>(200, 'GET', `/api/v1/integrations/${integrationId}`);
    expect(link).toMatchObject({
      ...{ Name: 'The API secured', IntegrationType: 'secured', Kind: 'header', Endpoint: ledger.url },
      Settings: { header: 'Authorization', prefix: 'Shop-Key ' },
    });
    await operations(page).getByRole('button', { name: 'New flow with createOrder' }).click();
    await page.waitForURL('**/flows/*');
    const { playId } = await admin.run(lastPart(page.url()), { args: { customer: 'Ada' } });
    await admin.waitForPlay(playId);
    expect(ledger.callsTo('/orders').at(-1)?.headers.authorization).toBe('Shop-Key sesame');
    expect(visitor.faults).toEqual([]);
  });

  it('are asked for in the form of a layer, too, which then has the link', async () => {
    const id = await importApi('asked', secured('key'));
    const flow = await admin.createFlow({ name: 'Orders of the asked', layers: [] });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${flow.id}`);
    await page.getByRole('button', { name: 'Add a layer' }).click();
    await page.getByLabel('Search modules').fill('api operation');
    await page.keyboard.press('Enter');
    await page.getByLabel('API', { exact: true }).selectOption('asked');
    await page.getByLabel('Search operations').fill('create');
    await page.getByRole('option', { name: /Create an order/ }).click();
    // what it requires is there at once, so that it can be saved
    await page.getByRole('textbox', { name: 'customer', exact: true }).click();
    await page.keyboard.insertText('Ada');
    await page.getByRole('button', { name: 'Connect …' }).click();
    await page.getByRole('dialog').getByLabel('Secret key').fill('sesame');
    await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('no problems').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All saved').waitFor();
    const { integrationId } = await admin.must<{ integrationId: string }>(200, 'GET', `/api/v1/apis/${id}`);
    const { layers } = await admin.must<{ layers: object[] }>(200, 'GET', `/api/v1/flows/${flow.id}`);
    expect(layers).toMatchObject([
      { args: { api: 'asked', auth: { integrationId }, input: { body: { customer: 'Ada' } } } },
    ]);
    expect(visitor.faults).toEqual([]);
  });
});

describe('operations', () => {
  it('are found by their tags, and read page after page where the document says how', async () => {
    const list = { type: 'array', items: { $ref: '#/components/schemas/Order' } };
    const get = {
      ...{ operationId: 'listOrders', summary: 'List orders', tags: ['orders'] },
      parameters: [
        { name: 'offset', in: 'query', schema: { type: 'integer' } },
        { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } },
      ],
      responses: { 200: { description: 'ok', content: { 'application/json': { schema: list } } } },
    };
    await importApi('listed', shop({}, { '/list': { get } }));
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/apis/listed');
    await operations(page).getByText('3 found').waitFor();
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('orders');
    await operations(page).getByText('1 found').waitFor();
    expect(new URL(page.url()).search).toBe('?tag=orders');
    await operations(page).getByRole('button', { name: 'New flow with listOrders' }).click();
    await page.waitForURL('**/flows/*');
    await page.getByRole('checkbox', { name: 'Read all pages' }).click();
    await page.getByText('no problems').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All saved').waitFor();
    const flowId = lastPart(page.url());
    const { layers } = await admin.must<{ layers: object[] }>(200, 'GET', `/api/v1/flows/${flowId}`);
    expect(layers).toMatchObject([
      {
        args: {
          input: { query: { limit: 50 } },
          paginate: { cursor: { from: '{{ ($page.index + 1) * 50 }}', param: 'offset' } },
        },
      },
    ]);
    const offsets: (string | null)[] = [];
    answers.set('/list', (query) => {
      offsets.push(query.get('offset'));
      return { body: Array.from({ length: offsets.length < 3 ? 50 : 7 }, () => ({ customer: 'Ada' })) };
    });
    const { playId } = await admin.run(flowId);
    await admin.waitForPlay(playId);
    expect(offsets).toEqual([null, '50', '100']);
    expect(visitor.faults).toEqual([]);
  });
});

describe('a document', () => {
  it('is also a file, as large as one may be; its operations are found, and what they take and answer', async () => {
    const note = 'n'.repeat(16_000_000);
    const buffer = Buffer.from(
      shop({ note: text(note), parts: { type: 'array', items: { $ref: '#/components/schemas/Order' } } }),
    );
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/apis');
    await page.getByRole('button', { name: 'Import an API …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('File', { exact: true }).click();
    const chooser = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Choose a file …' }).click();
    await (await chooser).setFiles({ name: 'shop-of-files.json', mimeType: 'application/json', buffer });
    await dialog.getByText('shop-of-files.json, 15 MB').waitFor();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'shop-of-files' }).waitFor();
    await operations(page).getByText('2 found').waitFor();
    await page.getByRole('textbox', { name: 'Name, path, method or title' }).fill('lines');
    await page.keyboard.press('Enter');
    await operations(page).getByText('1 found').waitFor();
    expect(new URL(page.url()).search).toBe('?q=lines');
    // it has no id of its own: its name is its method and path
    await operations(page).getByRole('button', { name: 'GET /orders/{id}/lines', expanded: false }).click();
    await page.getByRole('region', { name: 'Takes' }).getByText('required').first().waitFor();
    await page.getByRole('textbox', { name: 'Name, path, method or title' }).fill('');
    await page.keyboard.press('Enter');
    await operations(page)
      .getByRole('button', { name: /^Create an order/ })
      .click();
    const answers = page.getByRole('region', { name: 'Answers' });
    await answers.getByRole('button', { name: /^parts/ }).click();
    await answers.getByText('Who buys.').nth(1).waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });

  it('is mended by an overlay, which says how a list goes on', async () => {
    const get = { operationId: 'listOrders', responses: { 200: { description: 'ok' } } };
    const id = await importApi('overlaid', shop({}, { '/list': { get } }));
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/apis/${id}`);
    const dialog = page.getByRole('dialog');
    const overlay = dialog.getByRole('textbox', { name: 'Overlay' });
    const open = () => page.getByRole('button', { name: 'Edit …' }).click();
    await open();
    await overlay.fill("overlay: 1.0.0\nactions:\n  - target: $.paths['/list'.get\n    remove: true");
    expect(await faultsOfLooks(page, '[role=dialog]')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('overlay.actions.0.target is not a JSONPath').first().waitFor();
    await overlay.fill(
      "overlay: 1.0.0\nactions:\n  - target: $.paths['/list'].get\n    update: { x-weft-paginate: { link: true } }",
    );
    await shoot(page, 'api-overlay');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Refresh it to import its document with the overlay as it is now.').waitFor();
    await page.getByRole('button', { name: 'Refresh …' }).click();
    await dialog.getByRole('button', { name: 'Refresh', exact: true }).click();
    const path = `/api/v1/apis/${id}/operations/listOrders`;
    await waitFor(
      async () => (await admin.must<{ plan: { paging?: object } }>(200, 'GET', path)).plan.paging !== undefined,
      { what: 'the refresh' },
    );
    await open();
    expect(JSON.parse(await overlay.inputValue())).toMatchObject({ overlay: '1.0.0' });
    expect(visitor.faults).toEqual([]);
  });

  it('that is none shows why, and is mended by its text', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    documents.set('/none.json', '{"swagger":"1.2"}');
    await visitor.go('/apis');
    await page.getByRole('button', { name: 'Import an API …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address of the OpenAPI document').fill(`${ledger.url}/none.json`);
    await dialog.getByRole('textbox', { name: 'Name' }).fill('To be mended');
    await dialog.getByRole('textbox', { name: 'Key' }).fill('Not A Key');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('textbox', { name: 'Key' }).fill('to-be-mended');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('alert').getByText('The import has failed.').waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);
    await page.getByRole('button', { name: 'Refresh …' }).click();
    // nothing was imported that it could be compared with
    await expect.poll(() => dialog.getByRole('button', { name: 'Compare only' }).count()).toBe(0);
    await dialog.getByText('Text', { exact: true }).click();
    await dialog.getByLabel('Text of the OpenAPI document').fill(shop({ note: { $ref: 'notes.json#/Note' } }));
    await dialog.getByRole('button', { name: 'Refresh', exact: true }).click();
    await operations(page).getByText('2 found').waitFor();
    await expect.poll(() => page.getByText('The import has failed.').count()).toBe(0);
    // what is in another file is any value, and the report says where
    await page.getByText(/^Taken otherwise than the document says: [12]$/).click();
    await page.getByRole('region', { name: 'Report of the import' }).getByText(/note/).first().waitFor();

    await page.getByRole('button', { name: 'Edit …' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Mended');
    await dialog.getByRole('textbox', { name: 'Base address' }).fill('https://shop.example.com/v2');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Mended', exact: true }).waitFor();
    await page.getByText('https://shop.example.com/v2').waitFor();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/apis');
    await page.getByText('“Mended” is deleted.').waitFor();
    await page.getByRole('link', { name: 'Mended', exact: true }).waitFor({ state: 'detached' });
    await admin.must(404, 'GET', '/api/v1/apis/to-be-mended');
    expect(visitor.faults).toEqual([]);
  });
});

describe('another document of an API', () => {
  it('is compared, then taken; flows run as before until they adopt it', async () => {
    const id = await importApi('changing', shop({ rank: { type: 'integer' } }));
    const harmless = await admin.createFlow({
      name: 'Orders by name',
      ...calling('changing', 'createOrder', { body: { customer: 'Ada' } }),
    });
    const broken = await admin.createFlow({
      name: 'Orders by rank',
      ...calling('changing', 'createOrder', { body: { customer: 'Ada', rank: 3 } }),
    });
    await admin.must(201, 'POST', `/api/v1/flows/${harmless.id}/test-cases`, {
      ...{ name: 'an order', args: {}, fixtures: { call: { statusCode: 200, body: { customer: 'Ada' } } } },
    });
    const before = [await pinOf(harmless.id), await pinOf(broken.id)];
    // the rank becomes a text
    documents.set(
      '/changing.json',
      shop({ rank: text('As a word.') }, { '/new': { get: { operationId: 'isNew', responses: {} } } }),
    );
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/apis/changing`);
    await page.getByRole('button', { name: 'Refresh …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Compare only' }).click();
    const differences = page.getByRole('region', { name: 'Differences' });
    await differences.getByRole('heading', { name: 'What a refresh would change' }).waitFor();
    await differences.getByRole('link', { name: 'Orders by rank' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Adopt/ }).count()).toBe(0);
    await operations(page).getByText('2 found').waitFor();

    await page.getByRole('button', { name: 'Refresh …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Refresh', exact: true }).click();
    await differences.getByRole('heading', { name: 'What the last refresh changed' }).waitFor();
    await operations(page).getByText('3 found').waitFor();
    await differences.getByText('an order').waitFor();
    await differences.getByText('Operations that differ').click();
    await differences.getByText('Added', { exact: true }).waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);
    expect([await pinOf(harmless.id), await pinOf(broken.id)]).toEqual(before);
    // what breaks is not chosen unless somebody does
    await expect.poll(() => page.getByRole('checkbox', { name: 'Adopt in Orders by name' }).isChecked()).toBe(true);
    await expect.poll(() => page.getByRole('checkbox', { name: 'Adopt in Orders by rank' }).isChecked()).toBe(false);
    await page.getByRole('checkbox', { name: 'Adopt in Orders by rank' }).check();
    await page.getByRole('button', { name: 'Adopt in 2 flows' }).click();
    const outcomes = page.getByRole('status', { name: 'What became of the flows' });
    await outcomes.getByText('Adopted').waitFor();
    await outcomes.getByText('Refused').waitFor();
    await differences.getByRole('checkbox', { name: 'Adopt in Orders by name' }).waitFor({ state: 'detached' });
    const { items } = await admin.must<{ items: { digest: string }[] }>(
      200,
      'GET',
      `/api/v1/apis/${id}/operations?q=createOrder`,
    );
    expect([await pinOf(harmless.id), await pinOf(broken.id)]).toEqual([
      [(before[0]?.[0] ?? 0) + 1, items[0]?.digest],
      before[1],
    ]);
    expect(await faultsOfLooks(page)).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });
});

describe('what somebody may not do', async () => {
  const id = await importApi('closed', shop({}));

  it('is not shown to an editor, who makes flows of operations and adopts them', async () => {
    const { page, go, faults } = await visit(await signedIn(fleet, 'flow_editor', companyId));
    await go('/apis');
    await page.getByRole('link', { name: 'The API closed' }).click();
    await operations(page).getByRole('button', { name: 'New flow with createOrder' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /Import|Refresh|Edit|Delete/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('nor flows to an integration manager, and the page is not in the menu of a viewer', async () => {
    const manager = await visit(await signedIn(fleet, 'integration_manager', companyId));
    await manager.go('/apis');
    await manager.page.getByRole('link', { name: 'The API closed' }).click();
    await manager.page.getByRole('button', { name: 'Refresh …' }).waitFor();
    await operations(manager.page).getByText('2 found').waitFor();
    await expect.poll(() => manager.page.getByRole('button', { name: /New flow/ }).count()).toBe(0);
    const viewer = await visit(await signedIn(fleet, 'viewer', companyId));
    await viewer.go('/plays');
    await viewer.page.getByRole('link', { name: 'Flows' }).waitFor();
    await expect.poll(() => viewer.page.getByRole('link', { name: 'APIs' }).count()).toBe(0);
    await viewer.go(`/apis/${id}`);
    await viewer.page.getByRole('alert').waitFor();
    await expect.poll(() => viewer.page.getByText('The API closed').count()).toBe(0);
  });

  it('nor is anything of it to another company', async () => {
    const { page, go } = await visit(await neighbourCompany(fleet));
    await go('/apis');
    await page.getByText('No API yet').waitFor();
    await go(`/apis/${id}`);
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByText('The API closed').count()).toBe(0);
  });
});

describe('an MCP server', () => {
  it('is a few clicks from a play that called one of its tools; one that has changed is adopted', async () => {
    offer.tools = [ADD];
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/apis');
    await page.getByRole('button', { name: 'Add an MCP server …' }).click();
    await page.getByLabel('Address of the MCP server').waitFor();
    await page.keyboard.type(adder.url);
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('The adder');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Key' }).fill('adder');
    await shoot(page, 'mcp-add');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: 'The adder' }).waitFor();
    const serverPath = new URL(page.url()).pathname;
    const tools = page.getByRole('region', { name: 'Tools' });
    await tools.getByText('1 found').waitFor();
    await tools.getByRole('button', { name: 'Add two numbers' }).click();
    await tools.getByRole('region', { name: 'Takes' }).getByText('first').waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);
    await shoot(page, 'mcp-server');
    await tools.getByRole('button', { name: 'New flow with add' }).click();
    await page.waitForURL('**/flows/*');
    const flowId = lastPart(page.url());
    await page.getByText('{{ $prev.args.first }}').first().waitFor();
    // a number where the expression was
    await page.getByRole('textbox', { name: 'second', exact: true }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('21');
    await page.getByText('Not saved').waitFor();
    await page.getByText('no problems').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All saved').waitFor();
    expect(await admin.must(200, 'GET', `/api/v1/flows/${flowId}`)).toMatchObject({
      layers: [{ args: { input: { first: '{{ $prev.args.first }}', second: 21 } } }],
    });
    await shoot(page, 'mcp-layer');
    const args = { first: 21 };
    const run = await admin.must<{ playId: string }>(202, 'POST', `/api/v1/flows/${flowId}/run`, { args });
    expect(await admin.waitForPlay(run.playId)).toMatchObject({ state: 'DONE' });

    offer.tools = [{ ...ADD, description: 'Adds two numbers, and tells everybody.' }];
    const refused = await admin.must<{ playId: string }>(202, 'POST', `/api/v1/flows/${flowId}/run`, { args });
    expect(await admin.waitForPlay(refused.playId)).toMatchObject({ state: 'FAIL', error: { code: 'tool_changed' } });
    await visitor.go(serverPath);
    await page.getByRole('button', { name: 'Refresh …' }).click();
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await page.getByText('1 changed').waitFor();
    await shoot(page, 'mcp-differences');
    await page.getByRole('button', { name: 'Adopt in 1 flow' }).click();
    await page.getByText('Adopted').first().waitFor();
    await visitor.go('/apis');
    await page.getByRole('region', { name: 'MCP servers' }).getByText('The adder').waitFor();
    await shoot(page, 'mcp-list');
    const adopted = await admin.must<{ playId: string }>(202, 'POST', `/api/v1/flows/${flowId}/run`, { args });
    expect(await admin.waitForPlay(adopted.playId)).toMatchObject({ state: 'DONE' });
    expect(visitor.faults).toEqual([]);
  });
});

describe('an MCP server that asks for a sign-in', async () => {
  // where consents come back to: to a browser, another host than 127.0.0.1
  const { visit: visitAtHome } = await visitorsOf(admin.url.replace('127.0.0.1', 'localhost'));

  async function added(visitor: Awaited<ReturnType<typeof visit>>, url: string, name: string): Promise<void> {
    const { page } = visitor;
    await visitor.go('/apis');
    await page.getByRole('button', { name: 'Add an MCP server …' }).click();
    await page.getByLabel('Address of the MCP server').fill(url);
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in …' }).waitFor();
  }

  it('has its tools after a consent in the browser, and is called with another token when that one ends', async () => {
    offer.tools = [ADD];
    const signed = await signedMcpServer(offer);
    onTestFinished(() => signed.close());
    const visitor = await visitAtHome(admin);
    const { page } = visitor;
    await added(visitor, signed.url, 'The signed adder');
    expect(await faultsOfLooks(page)).toEqual([]);
    await shoot(page, 'mcp-asks-for-sign-in');
    await page.getByRole('button', { name: 'Sign in …' }).click();
    await page.getByRole('textbox').fill('ada');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL('**/mcp-servers/*');
    const tools = page.getByRole('region', { name: 'Tools' });
    await tools.getByText('1 found').waitFor();
    await shoot(page, 'mcp-signed-in');
    const resource = signed.url;
    expect(signed.granted).toEqual([{ grant: 'authorization_code', resource }]);
    await tools.getByRole('button', { name: 'New flow with add' }).click();
    await page.waitForURL('**/flows/*');
    const flowId = lastPart(page.url());
    const run = async (): Promise<object> => {
      const { playId } = await admin.run(flowId, { args: { first: 1, second: 2 } });
      return admin.waitForPlay(playId);
    };
    expect(await run()).toMatchObject({ state: 'DONE' });
    const first = signed.taken.at(-1);
    await signed.revoke();
    expect(await run()).toMatchObject({ state: 'DONE' });
    expect(signed.granted.slice(1)).toEqual([{ grant: 'refresh_token', resource }]);
    expect(signed.taken.at(-1)).not.toBe(first);
  });

  it('is as before when nobody consents, and says so', async () => {
    const signed = await signedMcpServer(offer);
    onTestFinished(() => signed.close());
    const visitor = await visitAtHome(admin);
    const { page } = visitor;
    await added(visitor, signed.url, 'The adder of others');
    await page.getByRole('button', { name: 'Sign in …' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('You were not let in at the provider.').waitFor();
    expect(page.url()).toMatch(/\/mcp-servers\/[^?]+$/);
    await page.getByRole('button', { name: 'Sign in …' }).waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);
    expect(signed.granted).toEqual([]);
  });

  it('is not left for a sign-in that could not come back to the browser', async () => {
    const signed = await signedMcpServer(offer);
    onTestFinished(() => signed.close());
    const visitor = await visit(admin);
    await added(visitor, signed.url, 'The adder from elsewhere');
    await visitor.page.getByRole('button', { name: 'Sign in …' }).click();
    await visitor.page.getByText(/open Weft at http:\/\/localhost:\d+, and begin there/).waitFor();
    expect(new URL(visitor.page.url()).hostname).toBe('127.0.0.1');
  });
});

describe('the page of an API', async () => {
  const id = await importApi('seen', shop({}));

  it('asks for nothing again once an import has ended', async () => {
    const { page, go, calls } = await visit(admin, { isNew: true });
    await page.clock.install();
    await go(`/apis/${id}`);
    await page.getByText('Create an order').waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor();
    await page.waitForLoadState('networkidle');
    calls.length = 0;
    await page.clock.runFor('10:00');
    expect(calls.filter((call) => !call.endsWith('/api/ws'))).toEqual([]);
  });
});
