import { ApiClient, waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { faultsOfLooks, isLive, openDashboard } from './harness/dashboard.js';
import { neighbourCompany, signedIn } from './harness/neighbour-company.js';
import { seriousFaults } from './harness/visitor.js';

const { fleet, admin, demo, companyId, visit } = await openDashboard();

/** Types that refer to themselves, one of two shapes, a choice of numbers. */
const SHOP = {
  ...{ openapi: '3.1.0', info: { title: 'Shop', version: '1' }, servers: [{ url: 'https://api.example.com' }] },
  security: [{ login: [] }],
  components: {
    securitySchemes: { login: { type: 'http', scheme: 'basic' } },
    schemas: {
      Order: {
        type: 'object',
        required: ['customer', 'pay'],
        properties: {
          customer: { type: 'string' },
          pay: { oneOf: [{ $ref: '#/components/schemas/Card' }, { $ref: '#/components/schemas/Invoice' }] },
          rank: { enum: [1, 2, 3] },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Order' } },
        },
      },
      Card: {
        type: 'object',
        required: ['type', 'number'],
        properties: { type: { const: 'card' }, number: { type: 'string' } },
      },
      Invoice: {
        type: 'object',
        required: ['type'],
        properties: { type: { const: 'invoice' }, days: { type: 'integer' } },
      },
    },
  },
  paths: {
    '/orders': {
      post: {
        operationId: 'createOrder',
        summary: 'Create an order',
        description: 'Makes an order and reserves its lines.',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } } },
      },
    },
  },
};

interface Layer {
  readonly ref: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

async function layersOf(flowId: string, reader = admin): Promise<readonly Layer[]> {
  const flow = await reader.must<{ layers: readonly Layer[] }>(200, 'GET', `/api/v1/flows/${flowId}`);
  return flow.layers;
}

async function flowWith(...refs: readonly string[]): Promise<string> {
  const layers = refs.map((ref) => ({ ref, appId: 'text-template', args: { template: ref } }));
  const { id } = await admin.createFlow({ name: `flow of ${refs.join(' ')}`, layers });
  return id;
}

const lastPart = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

/** A field of the layer that is shown. */
const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });

/** Replaces what a field of code has, as a person does: a text that is put into its element may come before the editor's own selection. */
async function write(page: Page, name: string, text: string): Promise<void> {
  await field(page, name).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

async function addLayer(page: Page, words: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a layer' }).click();
  await page.getByLabel('Search modules').fill(words);
  await page.keyboard.press('Enter');
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('All saved').waitFor();
}

const rows = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('[data-ref]')].map((each) => each.dataset.ref)`);

describe('the editor of a flow', () => {
  it('makes the first flow of two layers, whose play is seen live', async () => {
    const owner = await neighbourCompany(fleet);
    const visitor = await visit(owner);
    const { page } = visitor;
    await visitor.go('/flows');
    await page.getByRole('button', { name: 'Make the first flow' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Greeting');
    await dialog.getByRole('button', { name: 'Make the flow' }).click();
    await page.waitForURL('**/flows/*');
    const id = lastPart(page.url());
    await page.getByText('No layer yet').waitFor();
    await addLayer(page, 'text template');
    await field(page, 'template').click();
    await page.keyboard.type('Hello {{ $prev.args.name }}');
    await addLayer(page, 'jsonata');
    await field(page, 'expression').click();
    // what may come next is offered: the ref of the layer above, and the field of its output
    await page.keyboard.type('$uppercase($prev.');
    await page.getByRole('option', { name: /^template/ }).click();
    await page.keyboard.type('.');
    await page.getByRole('option', { name: /^text/ }).click();
    await page.keyboard.type(')');
    await page.getByText('no problems').waitFor();
    await page.getByText('Not saved: 2 added').waitFor();
    await save(page);
    expect((await layersOf(id, owner)).map(({ ref, args }) => [ref, args])).toEqual([
      ['template', { template: 'Hello {{ $prev.args.name }}' }],
      ['transform', { expression: '$uppercase($prev.template.text)' }],
    ]);

    await page.getByRole('button', { name: 'Run …' }).click();
    await dialog.getByRole('textbox', { name: 'Arguments' }).fill('{ "name": "Ada" }');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/plays/*');
    await page.getByText('All 2 layers are through').waitFor();
    const playId = lastPart(page.url());
    // the value that an expression would have had in this play
    await visitor.go(`/flows/${id}`);
    await page.getByText('= "Hello Ada"').waitFor();
    // and what a change would have done in it
    await write(page, 'template', 'Goodbye {{ $prev.args.name }}');
    await page.getByRole('button', { name: 'Backtest' }).click();
    await page.getByRole('button', { name: 'Run the backtest' }).click();
    const backtest = page.getByRole('region', { name: 'Backtest' });
    await backtest.getByText('1 different', { exact: true }).waitFor();
    await backtest.getByText('"HELLO ADA"', { exact: true }).waitFor();
    await expect.poll(() => backtest.getByRole('link').getAttribute('href')).toBe(`/plays/${playId}`);
    expect((await layersOf(id, owner))[0]?.args).toEqual({ template: 'Hello {{ $prev.args.name }}' });
    expect(visitor.faults).toEqual([]);
  });

  it('tries layer by layer: the answer of one is the data that the next is written with', async () => {
    const { ledger } = fleet;
    const orders = [{ id: 101, lines: [{ sku: 'tea' }] }, { id: 102 }];
    ledger.answerWith(({ path }) => ({ body: path === '/tried' ? { orders } : { stored: true } }));
    const push = { url: `${ledger.url}/pushed/`, method: 'POST' };
    const { id } = await admin.createFlow({
      name: 'Orders, tried',
      layers: [
        { ref: 'orders', appId: 'web-request', args: { url: `${ledger.url}/tried` } },
        { ref: 'push', appId: 'web-request', args: push, forEach: { in: '{{ .orders.json.orders }}' } },
      ],
    });
    const visitor = await visit(admin);
    const { page } = visitor;
    const panel = page.locator('[data-layer-panel]');
    const answer = panel.getByRole('status');
    await visitor.go(`/flows/${id}`);
    await panel.getByText('Try this layer').click();
    await panel.getByRole('button', { name: 'Try', exact: true }).click();
    await answer.getByText('Done').waitFor();
    await answer.getByRole('button', { name: 'Keep as sample' }).click();
    await panel.getByText('Its sample was kept').waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);

    // the loop knows its first item: completion offers it, a click writes a path, and the hint has its value
    await page.getByRole('button', { name: /^2\. push/ }).click();
    await panel.getByText('Data it can read').click();
    await field(page, 'url').click();
    await page.keyboard.press('End');
    await page.keyboard.type('{{ $item.');
    await page.getByRole('option', { name: /^id/ }).click();
    await page.keyboard.type(' }}');
    await panel.getByText(`= "${ledger.url}/pushed/101"`).waitFor();
    await write(page, 'url', push.url);
    await panel.getByRole('group', { name: 'Sample of $item' }).getByRole('button', { name: /^id/ }).click();
    await panel.getByText(`= "${ledger.url}/pushed/101"`).waitFor();
    // so does a click on a list, which its arrow opens
    await write(page, 'in', '');
    const sample = panel.getByRole('group', { name: 'Sample of .orders' });
    await sample.getByRole('button', { name: /^orders/ }).click();
    await panel.locator('[data-path="forEach.in"]').getByText('{{ .orders.json.orders }}').waitFor();
    await sample.getByRole('button', { name: 'Show what is in orders' }).click();
    await sample.getByRole('button', { name: 'Show what is in 0' }).waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);

    await panel.getByText('Try this layer').click();
    await panel.getByRole('button', { name: 'Try', exact: true }).click();
    const asked = panel.getByRole('alert').filter({ hasText: 'may change something' });
    await asked.getByText(`POST ${ledger.url}/pushed/101`).waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);
    expect(ledger.callsTo('/pushed/101')).toEqual([]);
    await asked.getByRole('button', { name: 'Make the call' }).click();
    await answer.getByText('Done').waitFor();
    expect(ledger.callsTo('/pushed/101')).toHaveLength(1);
    expect((await layersOf(id))[1]?.args).toEqual(push);

    // a play's answer may be the sample as well
    await save(page);
    const { playId } = await admin.run(id, { args: {}, wait: 10_000 });
    await visitor.go(`/plays/${playId}`);
    await page.getByRole('tab', { name: 'Output' }).click();
    await page.getByRole('button', { name: 'Use as sample' }).click();
    await page.getByRole('button', { name: 'Used as the sample' }).waitFor();
    const kept = await admin.must<{ items: { ref: string }[] }>(200, 'GET', `/api/v1/flows/${id}/samples`);
    expect(kept.items.map(({ ref }) => ref)).toContain('push');
    await visitor.go(`/flows/${id}`);
    await panel.getByText('Try this layer').click();
    await panel.getByRole('button', { name: 'Remove' }).click();
    await panel.getByText('It has no sample yet.').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  it('mends what failed: from the play to its layer, and again with the same arguments', async () => {
    const { id } = await admin.createFlow({ name: 'Misspelt' });
    const template = 'Hello {{ $prev.args.nane }}';
    await admin.addLayer(id, { ref: 'greeting', appId: 'text-template', args: { template } });
    const { playId } = await admin.run(id, { args: { name: 'Ada' }, wait: 10_000 });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/plays?state=FAIL&flowId=${id}`);
    await page.locator(`[data-play="${playId}"] a`).click();
    await page.getByRole('alert').getByText('nane').first().waitFor();
    await page.getByRole('link', { name: 'Misspelt' }).click();
    await page.waitForURL(`**/flows/${id}`);
    await write(page, 'template', 'Hello {{ $prev.args.name }}');
    await save(page);
    await page.goBack();
    await page.getByRole('button', { name: 'Run again …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/plays/') && !url.pathname.endsWith(playId));
    await page.getByText('Done', { exact: true }).first().waitFor();
    expect((await admin.play(lastPart(page.url()))).state).toBe('DONE');
    expect(visitor.faults).toEqual([]);
  });

  it('keeps what is selected in a field while its editor is fetched', async () => {
    const id = await flowWith('a');
    const { page, go } = await visit(admin, { isNew: true });
    const { promise: isSelected, resolve } = Promise.withResolvers<void>();
    await page.route('**/code-field-*.js', async (route) => {
      await isSelected;
      await route.continue();
    });
    await go(`/flows/${id}`);
    await field(page, 'template').click();
    await page.keyboard.press('Control+a');
    resolve();
    await page.locator('.cm-content').waitFor();
    await page.keyboard.insertText('new');
    await save(page);
    expect((await layersOf(id))[0]?.args).toEqual({ template: 'new' });
  });

  it('keeps the focus that comes to a field in the moment in which its editor is there', async () => {
    const id = await flowWith('a');
    const { page, go } = await visit(admin, { isNew: true });
    // React draws later what no key or click asks for
    await page.addInitScript(`{
      const waiting = [];
      window.setImmediate = (draw) => (window.isHeld ? waiting.push(draw) : setTimeout(draw));
      window.drawAll = () => { window.isHeld = false; waiting.splice(0).forEach((draw) => setTimeout(draw)); };
    }`);
    const { promise: isHeld, resolve: fetch } = Promise.withResolvers<void>();
    await page.route('**/code-field-*.js', async (route) => {
      await isHeld;
      await route.continue();
    });
    const asked = page.waitForRequest('**/code-field-*.js');
    await go(`/flows/${id}`);
    await page.getByLabel('Name', { exact: true }).click();
    const script = (await asked).url();
    await page.evaluate('window.isHeld = true');
    fetch();
    await page.evaluate(`import(${JSON.stringify(script)})`);
    await field(page, 'template').click();
    await page.evaluate('drawAll()');
    await page.locator('.cm-content').waitFor();
    await page.keyboard.insertText('new ');
    await save(page);
    expect((await layersOf(id))[0]?.args).toEqual({ template: expect.stringContaining('new ') as string });
  });

  it('says what is wrong at its field, leads to it, and rehearses what is not saved', async () => {
    const id = await flowWith('a', 'b');
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${id}`);
    // what is wrong with a text that somebody writes is said when they leave it
    const checked = page.waitForResponse('**/validate');
    await write(page, 'template', '{{ .b.text }}');
    await checked;
    const bar = page.getByRole('toolbar', { name: 'Editor' });
    await bar.getByText('checking').waitFor({ state: 'detached' });
    await expect.poll(() => bar.getByText(/problem/).count()).toBe(0);
    // for a ref such as this one the request is refused as a whole
    await page.getByLabel('Ref', { exact: true }).fill('1a');
    await page.getByLabel('Name', { exact: true }).focus();
    await bar.getByRole('button', { name: '2 problems', exact: true }).waitFor();
    await page.getByLabel('Ref', { exact: true }).fill('a');
    await bar.getByRole('button', { name: '1 problem', exact: true }).click();
    await page.getByRole('button', { name: /^2\. b/ }).click();
    await page.getByRole('list', { name: 'Problems' }).getByRole('button').click();
    await page.locator('[data-layer-panel]').getByText('the layer "b" comes later').waitFor();
    // by key, and back
    await page.getByRole('button', { name: /^2\. b/ }).press('Alt+ArrowUp');
    await page.getByText('no problems').waitFor();
    expect(await rows(page)).toEqual(['b', 'a']);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('button', { name: 'Run dry' }).click();
    await page.getByRole('region', { name: 'Dry run' }).getByText('Done').first().waitFor();
    await page.keyboard.press('Control+z');
    expect(await rows(page)).toEqual(['a', 'b']);
    expect((await layersOf(id)).map(({ ref }) => ref)).toEqual(['a', 'b']);

    await page.getByRole('link', { name: 'Plays' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`/flows/${id}`);
    expect(visitor.faults).toEqual([]);
  });

  it('says what a new layer lacks once somebody was in the field, and leads into a field that is added', async () => {
    const id = await flowWith('a');
    const { page, go } = await visit(admin);
    await go(`/flows/${id}`);
    await addLayer(page, 'filter');
    await page.getByText('checking').waitFor({ state: 'detached' });
    const bar = page.getByRole('toolbar', { name: 'Editor' });
    await expect.poll(() => bar.getByText(/no problems|filled in/).count()).toBe(0);
    // what was left before it was filled in is said, and a click leads there
    await page.getByRole('button', { name: /^1\. a/ }).click();
    await bar.getByRole('button', { name: 'to be filled in: Filter' }).click();
    await field(page, 'condition').focus();
    await page.getByLabel('Ref', { exact: true }).focus();
    await page.getByRole('button', { name: '1 problem', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add Only if' }).click();
    await page.locator('[data-path=when] :focus').waitFor();
    expect(await rows(page)).toEqual(['a', 'filter']);
    // neither is what a field lacks that is added to a layer that is there
    await page.getByRole('button', { name: /^1\. a/ }).click();
    await page.getByRole('button', { name: 'Add For each item of' }).click();
    await page.locator('[data-path="forEach.in"] :focus').waitFor();
    await page.getByText('checking').waitFor({ state: 'detached' });
    await bar.getByRole('button', { name: '2 problems', exact: true }).waitFor();
    await page.getByLabel('Ref', { exact: true }).focus();
    await bar.getByRole('button', { name: '3 problems', exact: true }).waitFor();
  });

  it('runs what is seen, and says so when that is not what is saved', async () => {
    const id = await flowWith('a');
    const visitor = await visit(admin);
    const { page } = visitor;
    const dialog = page.getByRole('dialog');
    await visitor.go(`/flows/${id}`);
    await write(page, 'template', 'seen');
    await page.getByRole('button', { name: 'Run …' }).click();
    await dialog.getByText('Not saved: 1 changed.').waitFor();
    await dialog.getByRole('button', { name: /^Run version \d+ as saved$/ }).click();
    const strip = page.getByRole('region', { name: 'The play that was started here' });
    await strip.getByText('Its layer is through').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Not saved: 1 changed').waitFor();
    await strip.getByRole('button', { name: 'Hide the play' }).click();
    await strip.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run …' }).click();
    await dialog.getByRole('button', { name: 'Save and run' }).click();
    // the page stays, and shows what the play does at each layer
    await strip.getByText('Its layer is through').waitFor();
    await page.getByText('All saved').waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);
    await strip.getByRole('link', { name: /Done/ }).click();
    await page.waitForURL('**/plays/*');
    await page.getByText('"seen"').first().waitFor();
    expect((await layersOf(id))[0]?.args).toEqual({ template: 'seen' });
    const { items } = await admin.must<{ items: readonly object[] }>(200, 'GET', `/api/v1/plays?flowId=${id}`);
    expect(items).toHaveLength(2);
    expect(visitor.faults).toEqual([]);
  });

  it('shows and saves integers that a number does not hold with every digit', async () => {
    const n = 7_615_917_337_495_251_231n;
    const { id } = await admin.createFlow({ name: 'With an id' });
    const args = { method: 'POST', url: 'http://127.0.0.1:9/a', body: { id: 1 } };
    await admin.addLayer(id, { ref: 'ask', appId: 'web-request', args });
    const { page, go } = await visit(admin);
    await go(`/flows/${id}`);
    await write(page, 'body as JSON', `{ "id": ${n} }`);
    await save(page);
    // a constant of a layer is stored as the text of its digits
    expect((await layersOf(id))[0]?.args).toMatchObject({ body: { id: String(n) } });

    const { playId } = await admin.run(await flowWith('c'), { args: { id: n }, wait: 10_000 });
    await go(`/plays/${playId}`);
    await page.getByRole('tab', { name: 'Arguments' }).click();
    await page.getByText(String(n), { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Run again …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/plays/') && !url.pathname.endsWith(playId));
    const again = await page.request.get(page.url().replace('/plays/', '/api/v1/plays/'));
    expect(await again.text()).toContain(`"args":{"id":${n}}`);
  });

  it('is found in lists by its name, as long as it may be, beside all other columns', async () => {
    const name = 'n'.repeat(200);
    const { id } = await admin.createFlow({ name });
    await admin.addLayer(id, { ref: 'a', appId: 'text-template', args: { template: '{{ $prev.args.none }}' } });
    await admin.run(id, { args: {}, wait: 10_000 });
    const { page, go } = await visit(admin);
    for (const [path, label] of [
      ['/flows', 'Flows'],
      ['/overview', 'Failures to mend, by cause'],
      [`/flows/${id}`, 'About the flow'],
    ] as const) {
      await go(path);
      await page.getByText(name).first().waitFor();
      const table = page.getByRole('region', { name: label, exact: true });
      expect([
        path,
        await table.evaluate(
          (box: { readonly scrollWidth: number; readonly clientWidth: number }) => box.scrollWidth - box.clientWidth,
        ),
      ]).toEqual([path, 0]);
    }
  });

  it('has the layers that are out of sight where the search of the browser finds them, as the page of a play has', async () => {
    const layers = Array.from({ length: 100 }, (_, i) => ({
      ...{ ref: `layer${i}`, appId: 'text-template', args: { template: 'x' } },
    }));
    const { id } = await admin.createFlow({ name: 'Long', layers });
    const { playId } = await admin.run(id, { args: {}, wait: 10_000 });
    const { page, go } = await visit(admin);
    for (const [path, list] of [
      [`/flows/${id}`, '[role=list][aria-label=Layers]'],
      [`/plays/${playId}`, '[data-timeline]'],
    ] as const) {
      await go(path);
      const last = `${list} [data-ref=layer99]`;
      await page.locator(`${list} [hidden=until-found] [data-ref=layer99]`).waitFor({ state: 'attached' });
      // what is searched for, and what an address leads to, is shown by the same rule of the browser
      await page.evaluate(`document.querySelector('${last}').id = 'found'; location.hash = 'found'`);
      await page.locator(`${list} [hidden] [data-ref=layer99]`).waitFor({ state: 'detached' });
      await expect.poll(() => page.locator(last).isVisible()).toBe(true);
    }
  });

  it('saves what is taken back after a save', async () => {
    const id = await flowWith('a', 'b');
    const { page, go } = await visit(admin);
    await go(`/flows/${id}`);
    await addLayer(page, 'text template');
    await write(page, 'template', 'c');
    await save(page);
    while (await page.getByRole('button', { name: 'Undo' }).isEnabled()) {
      await page.getByRole('button', { name: 'Undo' }).click();
    }
    await save(page);
    expect((await layersOf(id)).map(({ ref }) => ref)).toEqual(['a', 'b']);
    await page.getByRole('button', { name: 'Redo' }).click();
    await save(page);
    expect((await layersOf(id)).map(({ ref }) => ref)).toEqual(['a', 'b', 'template']);
  });

  it('moves a layer by pointer', async () => {
    const id = await flowWith('a', 'b', 'c');
    const { page, go } = await visit(admin);
    await go(`/flows/${id}`);
    const grips = page.locator('[data-layer] > span[aria-hidden]:first-child');
    await grips.nth(0).hover(); // waits until the page stands still
    await page.mouse.down();
    const to = await grips.nth(2).boundingBox();
    await page.mouse.move((to?.x ?? 0) + 5, (to?.y ?? 0) + (to?.height ?? 0) - 2, { steps: 5 });
    await page.mouse.up();
    expect(await rows(page)).toEqual(['b', 'c', 'a']);
  });

  it('lets two people who changed one flow keep what each of them did', async () => {
    const id = await flowWith('a', 'b');
    const [mine, theirs] = [await visit(admin), await visit(admin)];
    for (const { page, go } of [mine, theirs]) {
      await go(`/flows/${id}`);
      await field(page, 'template').waitFor();
    }
    await write(theirs.page, 'template', 'theirs');
    await theirs.page.getByRole('button', { name: /^2\. b/ }).click();
    await theirs.page.getByLabel('Name', { exact: true }).fill('Named by them');
    await save(theirs.page);
    const { page } = mine;
    await write(page, 'template', 'mine');
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: /Somebody else saved version/ });
    await dialog.getByText('Only they changed').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole('region', { name: 'Layer a' }).getByText('Yours', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Put both together' }).click();
    await page.getByText('Not saved: 1 changed').waitFor();
    await save(page);
    const [a, b] = await layersOf(id);
    expect([a?.args, b?.name]).toEqual([{ template: 'mine' }, 'Named by them']);
    expect([...mine.faults, ...theirs.faults]).toEqual([]);
  });

  it('asks before the company is switched; in another tab it waits, unseen and unsent, for the way back', async () => {
    await admin.must(201, 'POST', '/api/v1/companies', { name: 'The second' });
    const id = await flowWith('secret');
    const visitor = await visit(await new ApiClient(admin.url).login(fleet.login));
    const { page } = visitor;
    await visitor.go(`/flows/${id}`);
    await field(page, 'template').click();
    await page.keyboard.type('more ');
    await page.getByText('Not saved: 1 changed').waitFor();
    const second = await page.context().newPage();
    await second.goto(`${admin.url}/plays`);
    const goToTheSecond = async (tab: Page): Promise<void> => {
      await tab.getByRole('button', { name: 'Switch company' }).click();
      await tab.getByRole('menuitem', { name: 'The second' }).click();
    };
    // a switch makes another session: the one of the browser is asked for
    const companyOf = async (): Promise<unknown> => {
      const answer = await page.context().request.get(`${admin.url}/api/v1/auth/me`);
      return ((await answer.json()) as { readonly company_id: string }).company_id;
    };

    await goToTheSecond(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    expect(await companyOf()).toBe(companyId);

    await goToTheSecond(second);
    await page.getByText('This browser has gone to The second').waitFor();
    expect(await companyOf()).not.toBe(companyId);
    await expect.poll(() => page.locator('[data-ref=secret]').isVisible()).toBe(false);
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: /^Back to/ }).click();
    await page.locator('[data-ref=secret]').waitFor();
    expect(visitor.calls.filter((call) => call.startsWith('PUT'))).toEqual([]);
    await isLive(visitor);
    await save(page);
    expect(await companyOf()).toBe(companyId);
    expect((await layersOf(id)).map(({ args }) => args.template)).toEqual([expect.stringContaining('more ')]);
    expect(visitor.faults).toEqual([]);
  });

  it('shows a viewer everything, to change nothing', async () => {
    const visitor = await visit(await signedIn(fleet, 'viewer', companyId));
    const { page } = visitor;
    await visitor.go(`/flows/${demo.orders}`);
    await page.getByRole('button', { name: /^4\. Write the confirmation/ }).click();
    const template = field(page, 'template');
    await template.click();
    await page.keyboard.type('changed');
    await expect.poll(() => template.textContent()).toContain('Dear {{ $prev.args.order.customer.name }}');
    await expect.poll(() => page.getByRole('button', { name: /Save|Add|Dry run|Commands for|Undo/ }).count()).toBe(0);
    expect(await seriousFaults(page)).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });

  it('asks for nothing by a timer', async () => {
    const visitor = await visit(admin, { isNew: true });
    const { page, calls } = visitor;
    await page.clock.install();
    await visitor.go(`/flows/${demo.orders}`);
    await page.getByText('= {').first().waitFor();
    await page.getByRole('button', { name: '1 problem', exact: true }).waitFor();
    calls.length = 0;
    await page.clock.runFor('10:00');
    expect(calls.filter((call) => !call.endsWith('/api/ws'))).toEqual([]);
  });

  it('shows the form of an operation, and completes what it answers to any depth', async () => {
    const { id } = await admin.must<{ id: string }>(202, 'POST', '/api/v1/apis', {
      ...{ name: 'Shop', key: 'shop', source: { document: JSON.stringify(SHOP) } },
    });
    const isReady = async () =>
      (await admin.must<{ state: string }>(200, 'GET', `/api/v1/apis/${id}`)).state === 'ready';
    await waitFor(isReady, { what: 'the API to be imported' });
    const { id: flowId } = await admin.createFlow({ name: 'Orders of the shop' });
    const { page, go } = await visit(admin);
    await go(`/flows/${flowId}`);
    await addLayer(page, 'api operation');
    await page.getByLabel('Search operations').fill('create');
    await page.getByRole('option', { name: /Create an order/ }).click();
    await page.getByText('Makes an order and reserves its lines.').waitFor();
    await page.getByText('add auth, with a link of the kind basic').waitFor();
    await write(page, 'customer', 'Ada');
    // one of two shapes, with a field of its own
    await page.getByRole('combobox', { name: 'Kind of pay' }).selectOption('Invoice');
    await page.getByRole('button', { name: 'Add days' }).click();
    await page.getByRole('spinbutton', { name: 'days' }).fill('30');
    await page.getByRole('button', { name: 'Add rank' }).click();
    await page.getByRole('combobox', { name: 'rank', exact: true }).selectOption('3');
    await page.getByText('no problems').waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);
    await addLayer(page, 'text template');
    await field(page, 'template').click();
    for (const [typed, chosen] of [
      ['{{ .', /^operation/],
      ['.', /^body/],
      ['.', /^parts/],
      ['[0].', /^parts/],
      ['[0].', /^customer/],
    ] as const) {
      await page.keyboard.type(typed);
      await page.getByRole('option', { name: chosen }).click();
    }
    await page.keyboard.type(' }}');
    await save(page);
    const layers = await layersOf(flowId);
    expect(layers.map(({ args }) => args)).toMatchObject([
      {
        ...{ api: 'shop', operation: 'createOrder', digest: expect.any(String) as string },
        input: { body: { customer: 'Ada', pay: { type: 'invoice', days: 30 }, rank: 3 } },
      },
      { template: '{{ .operation.body.parts[0].parts[0].customer }}' },
    ]);
  });

  it('is usable by everybody, narrow or wide, light or dark', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${demo.orders}`);
    await page.getByRole('button', { name: 'Backtest' }).click();
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('button', { name: /^3\. / }).click();
    expect(await faultsOfLooks(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add a layer' }).click();
    // it has the keyboard, also while it is fetched for the first time
    await page.locator('[aria-label="Search modules"]:focus').waitFor();
    // what is under a dialog does not scroll
    const scrolls = (): Promise<string> => page.evaluate('getComputedStyle(document.documentElement).overflowY');
    expect(await scrolls()).toBe('hidden');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await scrolls()).toBe('visible');
  });
});
