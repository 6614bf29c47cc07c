import type { FlowView } from '@weft/contracts';
import { waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { demoFlows } from '../fixtures/demo-flows.js';
import { faultsOfLooks, faultsOfPage, openDashboard } from './harness/dashboard.js';
import { neighbourCompany, signedIn } from './harness/neighbour-company.js';

const { fleet, admin, demo, companyId, visit } = await openDashboard();
const { blueprint } = await demoFlows(admin, demo);

interface Flow {
  readonly version: number;
  readonly description: string;
  readonly blueprintId: string | null;
}

const lastPart = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

describe('a blueprint', () => {
  it('becomes a flow, which is run; its versions are compared, and an earlier one comes back', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/flows');
    await page.getByRole('button', { name: 'New flow' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('From a blueprint').click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('In German');
    await page.getByRole('combobox', { name: 'Blueprint' }).click();
    await page.getByRole('option', { name: 'Greet a customer' }).click();
    await page.getByRole('textbox', { name: 'greeting' }).fill('Guten Tag');
    await page.getByRole('button', { name: 'Make the flow' }).click();
    await page.getByRole('heading', { name: 'In German' }).waitFor();
    const flowId = lastPart(page.url());
    const read = () => admin.must<Flow>(200, 'GET', `/api/v1/flows/${flowId}`);
    expect(await read()).toMatchObject({ blueprintId: blueprint, version: 1 });

    await page.getByRole('button', { name: 'Run …' }).click();
    await dialog.getByRole('textbox', { name: 'Arguments' }).fill('{ "name": "Ada" }');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/plays/*');
    await page.getByText('Guten Tag, Ada!').waitFor();
    const play = await admin.waitForPlay(lastPart(page.url()));
    expect(play).toMatchObject({ state: 'DONE', args: { name: 'Ada' }, flowId });

    await visitor.go(`/flows/${flowId}?tab=settings`);
    await page.getByRole('textbox', { name: 'Description' }).fill('For customers in Vienna');
    await page.getByRole('textbox', { name: 'Key' }).fill('greeting.vienna');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 2').waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByLabel('The flow itself').getByText('For customers in Vienna').waitFor();
    await page.getByText('As text').click();
    await page.getByText('+   "description": "For customers in Vienna"').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('version 3', { exact: true }).waitFor();
    const description = 'A greeting in the language of the shop.';
    expect(await read()).toMatchObject({ version: 3, description, key: 'greeting.vienna' });
    expect(visitor.faults).toEqual([]);
  });
});

describe('the dialog that runs a flow', () => {
  it('runs the version that it says, and no play that has not begun by the time that it says', async () => {
    const { id } = await admin.createFlow({ name: 'Run by its dialog' });
    await admin.must(200, 'PUT', `/api/v1/flows/${id}`, { description: 'changed' });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${id}`);
    await page.getByRole('button', { name: 'Run …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Key, labels/ }).click();
    await dialog.getByRole('textbox', { name: 'Version' }).fill('1');
    await dialog.getByLabel('Not after').fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/plays/*');
    const play = await admin.waitForPlay(lastPart(page.url()));
    expect(play).toMatchObject({ state: 'SKIP', version: 1, error: { code: 'too_late' } });
    expect(visitor.faults).toEqual([]);
  });
});

describe('the arguments of a flow', () => {
  const City = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };
  const schema = {
    type: 'object',
    required: ['customer', 'count', 'address'],
    additionalProperties: false,
    properties: {
      customer: { type: 'string', minLength: 1, description: 'Who buys.' },
      count: { type: 'integer', minimum: 1, maximum: 9 },
      kind: { enum: ['gift', 'order'] },
      day: { type: 'string', format: 'date' },
      address: { $ref: '#/$defs/City' },
      tags: { type: 'array', items: { type: 'string' } },
      part: { $ref: '#/$defs/Part' },
    },
    $defs: {
      City,
      Part: {
        type: 'object',
        properties: { name: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/$defs/Part' } } },
      },
    },
  };

  it('are described by a schema in its settings, and given by a form that says at each field what does not fit', async () => {
    const { id } = await admin.createFlow({ name: 'With arguments' });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${id}?tab=settings`);
    const text = page.getByRole('textbox', { name: 'Schema of the arguments' });
    await text.fill('{ "type": "thing" }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^argsSchema\.type: /).waitFor();
    await text.fill(JSON.stringify(schema));
    await page.getByRole('region', { name: 'What a run takes' }).getByText('city').first().waitFor();
    expect(await faultsOfLooks(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 2').waitFor();
    expect(await admin.must(200, 'GET', `/api/v1/flows/${id}`)).toMatchObject({ argsSchema: schema });

    await page.getByRole('button', { name: 'Run …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'city', exact: true }).fill('Vienna');
    await dialog.getByRole('button', { name: 'Add kind' }).click();
    await dialog.getByRole('combobox', { name: 'kind' }).selectOption('order');
    await dialog.getByRole('button', { name: 'Add part' }).click();
    await dialog.getByRole('button', { name: 'Add parts' }).click();
    await dialog.getByRole('button', { name: 'Add to parts' }).click();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    // where it is, in words
    await dialog.getByRole('group', { name: 'customer' }).getByText('must have at least 1 characters').waitFor();
    expect(await faultsOfLooks(page, '[role=dialog]')).toEqual([]);
    await dialog.getByRole('button', { name: 'Show as JSON' }).click();
    const json = dialog.getByRole('textbox', { name: 'Arguments' });
    const shown = JSON.parse(await json.inputValue()) as object;
    expect(shown).toMatchObject({
      customer: '',
      count: 1,
      kind: 'order',
      address: { city: 'Vienna' },
      part: { parts: [{}] },
    });
    await json.fill(JSON.stringify({ ...shown, customer: 'Ada', count: 3, other: [7] }));
    await dialog.getByRole('button', { name: 'Show as a form' }).click();
    await expect.poll(() => dialog.getByRole('textbox', { name: 'customer' }).inputValue()).toBe('Ada');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await dialog
      .getByRole('group', { name: 'other' })
      .getByText(/is not one of the args/)
      .waitFor();
    await dialog.getByRole('button', { name: 'More for other' }).click();
    await page.getByRole('menuitem', { name: 'Leave it out' }).click();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/plays/*');
    const play = await admin.waitForPlay(lastPart(page.url()));
    expect(play.args).toEqual({
      ...{ customer: 'Ada', count: 3, kind: 'order', address: { city: 'Vienna' }, part: { parts: [{}] } },
    });
    expect(visitor.faults).toEqual([]);
  });

  it('are given as JSON where the flow says nothing of them, and variables of a blueprint are named and set anew', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${blueprint}?tab=settings`);
    await page.getByRole('group', { name: 'Variables of the blueprint' }).getByText('greeting').waitFor();
    const made = await admin.must<{ id: string }>(201, 'POST', `/api/v1/flows/${blueprint}/instantiate`, {
      ...{ name: 'In Italian', blueprintVars: { greeting: 'Ciao' } },
    });
    await visitor.go(`/flows/${made.id}?tab=settings`);
    await page.getByRole('textbox', { name: 'greeting' }).fill('Buongiorno');
    expect(await faultsOfLooks(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 2').waitFor();
    await page.getByRole('button', { name: 'Run …' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByRole('button', { name: 'Show as a form' }).count()).toBe(0);
    await dialog.getByRole('textbox', { name: 'Arguments' }).fill('{ "name": "Ada" }');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL('**/plays/*');
    await page.getByText('Buongiorno, Ada!').waitFor();
    expect(visitor.faults).toEqual([]);
  });
});

describe('a change of a flow that somebody else has changed meanwhile', () => {
  it('shows both, loses neither, and is saved in the fields that one has chosen', async () => {
    const flow = await admin.createFlow({ name: 'Of two people' });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${flow.id}?tab=settings`);
    await page.getByRole('textbox', { name: 'Category' }).fill('Mine');
    await admin.must(200, 'PATCH', `/api/v1/flows/${flow.id}`, { description: 'Theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Theirs', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('Theirs');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 3').waitFor();
    const stored = await admin.must(200, 'GET', `/api/v1/flows/${flow.id}`);
    expect(stored).toMatchObject({ category: 'Mine', description: 'Theirs' });
  });
});

describe('a flow whose changes are published by hand', () => {
  it('runs the published version, shows its draft, publishes it, and takes it back', async () => {
    const { id } = await admin.createFlow({ name: 'By hand' });
    const visitor = await visit(admin);
    const { page } = visitor;
    const dialog = page.getByRole('dialog');
    const read = () => admin.must<Flow & { publishedVersion: number }>(200, 'GET', `/api/v1/flows/${id}`);
    await visitor.go(`/flows/${id}?tab=settings`);
    await page.getByRole('combobox', { name: 'Changes apply' }).click();
    await page.getByRole('option', { name: 'When they are published' }).click();
    await page.getByRole('combobox', { name: 'A destination that is down' }).click();
    await page.getByRole('option', { name: 'Is waited for' }).click();
    await page.getByRole('textbox', { name: 'Description' }).fill('A draft');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('version 2, runs use version 1').waitFor();
    expect(await read()).toMatchObject({ publishedVersion: 1, settings: { onDestinationDown: 'park' } });

    await page.getByRole('button', { name: 'Publish …' }).click();
    await dialog.getByRole('link', { name: 'What would change' }).click();
    await page.getByLabel('The flow itself').getByText('A draft').waitFor();
    expect(await faultsOfPage(visitor, [`/flows/${id}?tab=versions`, 'Draft'])).toEqual([]);
    await page.getByRole('button', { name: 'Publish …' }).first().click();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Runs use version 2 now.').waitFor();
    expect(await read()).toMatchObject({ publishedVersion: 2 });

    await page.getByRole('row', { name: /^1 / }).getByRole('button', { name: 'Publish …' }).click();
    await dialog.getByText('later versions are drafts again').waitFor();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('version 2, runs use version 1').waitFor();
    expect(await read()).toMatchObject({ version: 2, publishedVersion: 1 });
    expect(visitor.faults).toEqual([]);
  });
});

describe('the picture of a flow', () => {
  it('says at each layer what it did in the last day, leads to it, and shows a play as it goes on', async () => {
    const { id } = await admin.createFlow({
      name: 'Drawn',
      enabled: true,
      layers: [
        {
          ref: 'kind',
          appId: 'branch',
          args: { cases: [{ when: '{{ $prev.args.letter }}', refs: ['stamp'] }], else: ['weigh'] },
        },
        { ref: 'stamp', appId: 'transform', args: { expression: '1' } },
        { ref: 'weigh', appId: 'code', args: { source: 'throw new Error("no scales")' } },
        { ref: 'ask', appId: 'approval', args: { message: 'Send it?', timeoutMs: 60_000 } },
      ],
    });
    const [failed, asks] = [
      await admin.run(id, { args: { letter: false } }),
      await admin.run(id, { args: { letter: true } }),
    ];
    await admin.waitForPlay(failed.playId);
    interface Figures {
      readonly layers: readonly { readonly ref: string; readonly done: number; readonly failed: number }[];
    }
    const read = () => admin.must<Figures>(200, 'GET', `/api/v1/analytics/flows/${id}`);
    // each worker stores what it has counted itself
    await waitFor(
      async () => {
        const { layers } = await read();
        const of = (ref: string) => layers.find((layer) => layer.ref === ref);
        return of('stamp')?.done === 1 && of('weigh')?.failed === 1;
      },
      { what: 'the counts of the layers' },
    );

    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${id}`);
    const picture = page.getByRole('region', { name: 'Picture of the flow' });
    await picture.getByText('100 % failed').waitFor();
    await picture.getByRole('button', { name: /^stamp kind: case 1/ }).waitFor();
    await picture.getByRole('button', { name: /^kind/ }).focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await expect.poll(() => page.getByRole('textbox', { name: 'Ref' }).inputValue()).toBe('weigh');

    await visitor.go(`/plays/${asks.playId}`);
    const drawn = page.getByRole('region', { name: 'Picture of the play' });
    await drawn.getByRole('button', { name: /^ask .*Waiting/ }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await drawn.getByRole('button', { name: /^ask .*Done/ }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});

describe('who is told when a flow fails', () => {
  it('is chosen from its menu: one flow tells of all that shall tell the same', async () => {
    const link = {
      type: 'smtp',
      name: 'Post office',
      endpoint: 'smtp://mail.weft.test',
      access_token: 'me@weft.test:x',
    };
    await admin.must(201, 'POST', '/api/v1/integrations', link);
    const visitor = await visit(admin);
    const { page } = visitor;
    const dialog = page.getByRole('dialog', { name: 'Tell me when it fails' });
    const tells: (string | null)[] = [];
    for (const name of ['First', 'Second']) {
      const { id } = await admin.createFlow({ name });
      await visitor.go(`/flows/${id}`);
      await page.getByRole('button', { name: 'More commands' }).click();
      await page.getByRole('menuitem', { name: 'Tell me when it fails' }).click();
      await dialog.getByRole('combobox', { name: 'Mail server' }).click();
      await page.getByRole('option', { name: /^Post office/ }).click();
      if (name === 'First') expect(await faultsOfLooks(page, '[role=dialog]')).toEqual([]);
      await dialog.getByRole('button', { name: 'Tell me', exact: true }).click();
      await page.getByText('You are told of the next play that fails.').first().waitFor();
      await dialog.waitFor({ state: 'detached' });
      const { settings } = await admin.must<FlowView>(200, 'GET', `/api/v1/flows/${id}`);
      tells.push(settings.onFailure ?? null);
    }
    expect(tells[0]).toBe(tells[1]);
    const teller = await admin.must<FlowView>(200, 'GET', `/api/v1/flows/${tells[0]}`);
    expect(teller).toMatchObject({ enabled: true, restricted: false });
    expect(teller.name).toMatch(/^Tell .+@.+ of failures$/);
    expect(visitor.faults).toEqual([]);
  });
});

describe('a schedule', () => {
  it('says in words and by its next slots when it runs, before it is made', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${demo.invoices}?tab=schedules`);
    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByRole('textbox', { name: 'Schedule' }).fill('0 9 * * mon');
    await page.getByText('Runs at 09:00, on Monday.').waitFor();
    await page.getByRole('list', { name: 'The next five slots' }).getByRole('listitem').nth(4).waitFor();
    await page.getByRole('button', { name: 'Make the schedule' }).click();
    await page.getByRole('button', { name: 'at 09:00, on Monday' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('It is paused').waitFor();
    const { jobs } = await admin.must<{ jobs: readonly object[] }>(
      ...([200, 'GET', `/api/v1/scheduler/jobs?flow_id=${demo.invoices}`] as const),
    );
    expect(jobs).toContainEqual(expect.objectContaining({ schedule: '0 9 * * mon', enabled: false }));
    expect(visitor.faults).toEqual([]);
  });
});

describe('a test case', () => {
  it('is made from a play, and passes', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${demo.orders}?tab=test-cases&play=${demo.done}`);
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('does as it did');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('does as it did').waitFor();
    await page.getByRole('button', { name: 'Run all' }).click();
    await page.getByText('2 passed, 1 failed').waitFor();
    expect(visitor.faults).toEqual([]);
  });
});

describe('a trigger', () => {
  it('shows its address once, and what arrives there without being asked', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${demo.invoices}?tab=triggers`);
    await page.getByRole('button', { name: 'New trigger' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('invoices of the shop');
    await dialog.getByRole('combobox', { name: 'Sender' }).click();
    await page.getByRole('option', { name: 'The address alone' }).click();
    await dialog.getByRole('button', { name: 'Make the trigger' }).click();
    const address = await dialog.locator('code').innerText();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Nothing has arrived yet').waitFor();
    const { pathname } = new URL(address);
    await admin.must(202, 'POST', pathname, { invoice: 'R-90', amount: 3 });
    await page.getByText('accepted').waitFor();
    expect(await page.content()).not.toContain(pathname);
    expect(visitor.faults).toEqual([]);
  });

  it('listens for one call, and shows what it heard as the sample of its expressions', async () => {
    const made = await admin.must<{ id: string; url: string }>(201, 'POST', `/api/v1/flows/${demo.invoices}/triggers`, {
      ...{ name: 'listened to', verifier: { type: 'gitlab', token: 'token-of-gitlab' } },
    });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/flows/${demo.invoices}?tab=triggers`);
    const row = page.getByRole('row', { name: 'listened to' });
    await row.getByRole('button', { name: 'Listen' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Send something to the address now').waitFor();
    // a token that is wrong: it is shown all the same
    const { pathname } = new URL(made.url);
    await admin.must(401, 'POST', pathname, { object_kind: 'push' });
    await dialog.getByText('It could not be proven who sent it').waitFor();
    await dialog.getByText('object_kind').waitFor();
    expect(await faultsOfLooks(page, '[role=dialog]')).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await row.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByText('The call that was heard last').waitFor();
    await dialog.getByText('Make up a secret token, for there and here').waitFor();
    await dialog.getByText('Send an event to plays that wait').click();
    await dialog.getByRole('textbox', { name: 'Event' }).fill('pushed');
    await dialog.getByRole('button', { name: 'The answer, methods and size' }).click();
    await dialog.getByRole('checkbox', { name: 'HEAD' }).check();
    expect(await faultsOfLooks(page, '[role=dialog]')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const path = `/api/v1/flows/${demo.invoices}/triggers/${made.id}`;
    expect(await admin.must(200, 'GET', path)).toMatchObject({
      ...{ action: { type: 'event', name: 'pushed' }, methods: ['POST', 'HEAD'], verifier: { secret_count: 1 } },
    });
    expect(visitor.faults).toEqual([]);
  });
});

describe('a webhook', () => {
  it('shows its secret once', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('to the books');
    await dialog.getByRole('textbox', { name: 'Address' }).fill('https://books.example.com/weft?key=k7');
    await dialog.getByRole('button', { name: 'Make the webhook' }).click();
    await dialog.getByText(/^whsec_/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'to the books' }).click();
    await page.getByText('Nothing was sent').waitFor();
    expect(await page.content()).not.toMatch(/whsec_|key=k7/);
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/webhooks');
    await page.getByText('to the books').waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });
});

describe('a destination', () => {
  it('is paused, limited and released', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/destinations');
    await page.getByRole('button', { name: 'Limit or pause …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Host and port' }).fill('books.example.com:443');
    await dialog.getByRole('button', { name: 'Pause it' }).click();
    await page.getByRole('button', { name: 'Limit books.example.com:443' }).click();
    await dialog.getByRole('textbox', { name: 'Calls' }).fill('50');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('50 a second').waitFor();
    await page.getByRole('button', { name: 'Release books.example.com:443' }).click();
    await page.getByText('Recovering').waitFor();
    expect(visitor.faults).toEqual([]);
  });
});

describe('what somebody may not do', () => {
  it('is not shown to a viewer', async () => {
    const visitor = await visit(await signedIn(fleet, 'viewer', companyId));
    const { page } = visitor;
    const commands = /New|Run|Pause|Resume|Restore|Save|Grant|Edit|Delete|Enable|From a play/;
    for (const path of ['', `/${demo.orders}`, ...TABS.map((tab) => `/${demo.orders}?tab=${tab}`)]) {
      await visitor.go(`/flows${path}`);
      await page.getByText('Order intake').first().waitFor();
      await page.waitForLoadState('networkidle');
      expect([path, await page.getByRole('button', { name: commands }).count()]).toEqual([path, 0]);
    }
    await page.getByRole('button', { name: 'More commands' }).click();
    await page.getByRole('menuitem', { name: 'Its plays' }).waitFor();
    await expect.poll(() => page.getByRole('menuitem', { name: /Duplicate|Delete/ }).count()).toBe(0);
    await expect.poll(() => page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  it('nor is anything of it to another company', async () => {
    const { page, go } = await visit(await neighbourCompany(fleet));
    await go('/flows');
    await page.getByText('No flow yet').waitFor();
    await go(`/flows/${demo.orders}`);
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByText('Order intake').count()).toBe(0);
  });
});

const TABS = ['versions', 'test-cases', 'schedules', 'triggers', 'access', 'settings'];

describe('the list of flows', () => {
  it('asks for nothing again while it is open', async () => {
    const { page, go, calls } = await visit(admin);
    await go('/flows');
    await page.getByText('Live', { exact: true }).first().waitFor();
    await page.locator(`[data-flow="${demo.orders}"]`).waitFor();
    await page.waitForLoadState('networkidle');
    calls.length = 0;
    const { playId } = await admin.run(demo.orders, { args: { order: { customer: {} } } });
    await page.locator(`a[href="/plays/${playId}"]`).getByText('Failed').waitFor();
    expect(calls).toEqual([]);
  });
});
