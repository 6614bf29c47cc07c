import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { demoFlows } from '../fixtures/demo-flows.js';
import { demoPeople } from '../fixtures/demo-people.js';
import { choose, command, confirm, hasFocus, isSaid } from './harness/asking.js';
import { faultsOfLooks, openDashboard } from './harness/dashboard.js';

const { admin, demo, companyId, visit } = await openDashboard();
const [people, { blueprint }] = await Promise.all([
  demoPeople(admin, companyId, demo.invoices),
  demoFlows(admin, demo),
]);

const DIALOG = '[role=dialog]';
const lastPart = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';
const itemsOf = async <T>(path: string): Promise<readonly T[]> =>
  (await admin.must<{ items: readonly T[] }>(200, 'GET', `/api/v1/${path}`)).items;

describe('a group', () => {
  it('is made, gets a member and a grant, loses both, is renamed and goes', async () => {
    const { page, go, faults } = await visit(admin);
    await go('/admin/groups');
    const open = page.getByRole('button', { name: 'New group …' });
    const dialog = page.getByRole('dialog');
    await open.click();
    await dialog.getByLabel('Name').fill('Night shift');
    await page.keyboard.press('Escape'); // what was typed is not lost by it
    await dialog.getByRole('button', { name: 'Make the group' }).click();
    await isSaid(page, 'Saved: “Night shift”.');
    await hasFocus(open);
    await page.getByRole('link', { name: 'Night shift' }).click();
    await page.waitForURL('**/admin/groups/*');
    const id = lastPart(page.url());
    const membersOf = async () => (await admin.must<{ members: string[] }>(200, 'GET', `/api/v1/groups/${id}`)).members;
    const grants = () => itemsOf<object>(`access/grants?grantee_id=${id}`);

    await choose(page, page.getByRole('combobox', { name: 'Somebody to add' }), 'Grace Hopper');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await isSaid(page, 'Grace Hopper is in the group.');
    expect(await membersOf()).toEqual([people.grace]);
    await page.getByRole('button', { name: 'Grant something …' }).click();
    await choose(page, dialog.getByRole('combobox', { name: 'Which' }), 'Order intake');
    await dialog.getByLabel('execute').check();
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await dialog.getByRole('button', { name: 'Grant it' }).click();
    await isSaid(page, '“Order intake” is granted.');
    expect(await grants()).toMatchObject([{ ResourceID: demo.orders, Permissions: ['read', 'execute'] }]);

    await page.getByRole('button', { name: 'Revoke …' }).click();
    await confirm(page, 'Revoke');
    await isSaid(page, 'The grant on “Order intake” is revoked.');
    expect(await grants()).toEqual([]);
    await page.getByRole('button', { name: 'Take out' }).click();
    await isSaid(page, 'Grace Hopper is out of the group.');
    expect(await membersOf()).toEqual([]);
    await page.getByRole('button', { name: 'Rename …' }).click();
    await dialog.getByLabel('Name').fill('Day shift');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Day shift' }).waitFor();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await confirm(page, 'Delete');
    await isSaid(page, 'The group “Day shift” is deleted.');
    expect((await admin.send('GET', `/api/v1/groups/${id}`)).status).toBe(404);
    expect(faults).toEqual([]);
  });
});

describe('an integration', () => {
  it('is refused at its field, made, changed without its token, and deleted', async () => {
    const { page, go, faults } = await visit(admin);
    const dialog = page.getByRole('dialog');
    const stored = async () =>
      (await itemsOf<{ Name: string }>('integrations')).find(({ Name }) => Name.startsWith('Mail'));
    await go('/admin/integrations');
    await page.getByRole('button', { name: 'New integration …' }).click();
    await dialog.getByLabel('Type').fill('http');
    await dialog.getByLabel('Name').fill('Mail');
    await dialog.getByLabel('Endpoint').fill('nowhere');
    await dialog.getByLabel(/^Token/).fill('once-typed');
    await dialog.getByRole('button', { name: 'Make the integration' }).click();
    await dialog.getByRole('alert').getByText('endpoint').first().waitFor();
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await dialog.getByLabel('Endpoint').fill('https://mail.example.org');
    await dialog.getByRole('button', { name: 'Make the integration' }).click();
    await isSaid(page, 'Saved: “Mail”.');
    expect(await stored()).toMatchObject({ IntegrationType: 'http', Endpoint: 'https://mail.example.org' });
    const row = page.getByRole('row', { name: 'Mail' });
    await row.getByRole('button', { name: 'Change …' }).click();
    await dialog.getByLabel('Name').fill('Mail of the shop');
    await dialog.getByLabel('Key').fill('shop-mail');
    await dialog.getByLabel('Endpoint').fill('https://other.example.org');
    await dialog.getByText('A new endpoint comes with its token').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Endpoint').fill('https://mail.example.org');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await isSaid(page, 'Saved: “Mail of the shop”.');
    // the list is read again: until then the row has the old name, by which its deletion would be said
    await row.getByText('Mail of the shop').waitFor();
    await row.getByText('shop-mail').waitFor();
    expect(await stored()).toMatchObject({ Key: 'shop-mail' });
    await row.getByRole('button', { name: 'Delete …' }).click();
    await confirm(page, 'Delete');
    await isSaid(page, '“Mail of the shop” is deleted.');
    expect(await stored()).toBeUndefined();
    expect(await page.content()).not.toContain('once-typed');
    expect(faults).toEqual([]);
  });
});

describe('an integration with several secrets', () => {
  it('is made of headers, or of the keys that sign, and keeps those that are not entered again', async () => {
    const { page, go, faults } = await visit(admin);
    const dialog = page.getByRole('dialog');
    const stored = async (name: string) =>
      (await itemsOf<{ Name: string }>('integrations')).find(({ Name }) => Name === name);
    const open = async (name: string, kind: RegExp) => {
      await page.getByRole('button', { name: 'New integration …' }).click();
      await dialog.getByLabel('Type').fill('api');
      await dialog.getByLabel('Name').fill(name);
      await choose(page, dialog.getByRole('combobox', { name: 'How requests show the credentials' }), kind);
    };
    const make = dialog.getByRole('button', { name: 'Make the integration' });
    await go('/admin/integrations');
    await open('Monitoring', /^Keys in several headers/);
    await dialog.getByLabel('Header 1').fill('DD-API-KEY');
    await expect.poll(() => make.isDisabled()).toBe(true);
    await dialog.getByLabel('Key key_1').fill('once-typed-1');
    await dialog.getByRole('button', { name: 'Another header' }).click();
    await dialog.getByLabel('Header 2').fill('Cookie');
    await dialog.getByLabel('Text 2').fill('app={{key_2}}; api={{key_1}}');
    await dialog.getByLabel('Key key_2').fill('once-typed-2');
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await make.click();
    await isSaid(page, 'Saved: “Monitoring”.');
    const headers = { 'DD-API-KEY': '{{key_1}}', Cookie: 'app={{key_2}}; api={{key_1}}' };
    expect(await stored('Monitoring')).toMatchObject({ Kind: 'headers', Settings: { headers } });

    const change = async (name: string) =>
      page.getByRole('row', { name }).getByRole('button', { name: 'Change …' }).click();
    const save = dialog.getByRole('button', { name: 'Save' });
    await change('Monitoring');
    await dialog.getByText('Empty: the stored one stays.').first().waitFor();
    await expect.poll(() => dialog.getByLabel('Text 2').inputValue()).toBe(headers.Cookie);
    await dialog.getByLabel('Name').fill('Watching');
    await save.click();
    await isSaid(page, 'Saved: “Watching”.');
    expect(await stored('Watching')).toMatchObject({ Kind: 'headers', Settings: { headers } });

    await change('Watching');
    await dialog.getByLabel('Header 1').fill('X-Key');
    await dialog.getByText('A change of the settings comes with the token').first().waitFor();
    await expect.poll(() => save.isDisabled()).toBe(true);
    await dialog.getByLabel('Key key_1').fill('once-typed-4');
    await expect.poll(() => save.isDisabled()).toBe(true);
    await dialog.getByLabel('Key key_2').fill('once-typed-5');
    await dialog.getByLabel('Name').fill('Looking');
    await save.click();
    await isSaid(page, 'Saved: “Looking”.');
    expect(await stored('Looking')).toMatchObject({
      Settings: { headers: { 'X-Key': '{{key_1}}', Cookie: headers.Cookie } },
    });

    await open('Reports', /^AWS signature/);
    await dialog.getByLabel('Region').fill('eu-central-1');
    await dialog.getByLabel('Service').fill('s3');
    await dialog.getByLabel('Access key id').fill('AKIDEXAMPLE');
    await dialog.getByLabel('Secret access key').fill('once-typed-3');
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await make.click();
    await isSaid(page, 'Saved: “Reports”.');
    const settings = { region: 'eu-central-1', service: 's3' };
    expect(await stored('Reports')).toMatchObject({ Kind: 'aws_sigv4', Settings: settings });
    expect(await page.content()).not.toContain('once-typed');
    expect(faults).toEqual([]);
  });
});

describe('an identity provider', () => {
  it('is made with a secret, changed without it, and deleted', async () => {
    const { page, go, faults } = await visit(admin);
    const dialog = page.getByRole('dialog');
    const stored = async () =>
      (await itemsOf<{ client_id: string }>('admin/oauth-providers')).find(({ client_id }) => client_id === 'of-weft');
    await go('/admin/providers');
    await page.getByRole('button', { name: 'New provider …' }).click();
    await dialog.getByLabel('Name').fill('Directory');
    await dialog.getByLabel('Issuer').fill('https://login.example.org');
    await dialog.getByLabel('Client id').fill('of-weft');
    await dialog.getByLabel('Client secret').fill('secret-of-the-directory');
    await dialog.getByRole('button', { name: 'Make the provider' }).click();
    await isSaid(page, 'Saved: “Directory”.');
    const row = page.getByRole('row', { name: 'Directory' });
    await row.getByRole('button', { name: 'Change …' }).click();
    await dialog.getByLabel('Whoever it knows').check();
    await choose(page, dialog.getByRole('combobox', { name: 'With the role' }), /^Viewer/);
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('become users: Viewer').waitFor();
    expect(await stored()).toMatchObject({ has_client_secret: true, auto_assign_role: 'viewer' });
    await row.getByRole('button', { name: 'Delete …' }).click();
    await confirm(page, 'Delete');
    await isSaid(page, '“Directory” is deleted.');
    expect(await stored()).toBeUndefined();
    expect(faults).toEqual([]);
  });
});

describe('a retention policy', () => {
  it('says before it is saved what it would delete', async () => {
    const flow = await admin.createFlow({ name: 'Often' });
    await admin.addLayer(flow.id, { ref: 'text', appId: 'text-template', args: { template: 'x' } });
    // the newest ten always stay
    await Promise.all(Array.from({ length: 13 }, () => admin.run(flow.id, { wait: 10_000 })));
    const policies = async () =>
      (
        await admin.must<{ policies: { id: string; flow_id: string | null }[] }>(
          ...([200, 'GET', '/api/v1/admin/retention-policies'] as const),
        )
      ).policies.filter(({ flow_id }) => flow_id === flow.id);
    const { page, go, faults } = await visit(admin);
    const dialog = page.getByRole('dialog');
    const counted = dialog.getByRole('status');
    await go('/admin/retention');
    const open = page.getByRole('button', { name: 'New policy …' });
    await open.click();
    await choose(page, dialog.getByRole('combobox', { name: 'What it is about' }), 'Often');
    await dialog.getByLabel('Goes when older than').fill('0');
    await counted.getByText('plays: 3 (without this change: 0)').waitFor();
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await dialog.getByLabel('Goes when older than').fill('30d');
    await counted.getByText('this would change nothing').waitFor();
    expect(await policies()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await isSaid(page, 'The policy is made.');
    await hasFocus(open);
    expect(await policies()).toMatchObject([{ cadence: '30d', enabled: true }]);
    const row = page.getByRole('row', { name: 'plays of “Often”' });
    await row.getByRole('button', { name: 'Change …' }).click();
    await dialog.getByLabel('Goes when older than').fill('1y');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('1y').waitFor();
    await row.getByRole('button', { name: 'Delete …' }).click();
    await confirm(page, 'Delete');
    await isSaid(page, 'The policy for “plays of “Often”” is deleted.');
    expect(await policies()).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describe('an API key', () => {
  it('is shown once, opens what it is for, and is refused when it is revoked', async () => {
    const { page, go, faults } = await visit(admin);
    const dialog = page.getByRole('dialog');
    await go('/account?tab=keys');
    const open = page.getByRole('button', { name: 'New key' });
    await open.click();
    await dialog.getByLabel('Name').fill('of the spec');
    const may = dialog.getByLabel('May', { exact: true }).first();
    await may.press('ArrowDown');
    for (const name of [/^api:plays/, /^api:read/, /^mcp/]) await page.getByRole('option', { name }).click();
    await dialog.getByLabel('Name').click();
    await dialog.getByLabel('Plays in a minute').fill('5');
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    const program = admin.withKey(await dialog.locator('code').innerText());
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await hasFocus(open);
    expect((await program.send('GET', '/api/v1/flows')).status).toBe(200);
    expect((await program.send('POST', '/api/v1/flows', { name: 'x' })).status).toBe(403);
    await go('/admin/keys');
    const row = page.getByRole('row', { name: 'of the spec' });
    await row.getByText('api:read,mcp').waitFor();
    await row.getByText('at most 5 plays a minute').waitFor();
    await row.getByRole('button', { name: 'Revoke …' }).click();
    await confirm(page, 'Revoke');
    await row.getByText('revoked', { exact: true }).waitFor();
    expect((await program.send('GET', '/api/v1/flows')).status).toBe(401);
    expect(faults).toEqual([]);
  });
});

describe('a user', () => {
  it('is kept out, let in again, given a new password, and removed', async () => {
    const [alan] = (await itemsOf<{ id: string }>('users?q=alan')).map(({ id }) => id);
    const { page, go, faults } = await visit(admin);
    const stateOf = async () => (await admin.must<{ state: string }>(200, 'GET', `/api/v1/users/${alan}`)).state;
    await go(`/admin/users/${alan}`);
    const before = await stateOf();
    await page.getByRole('button', { name: 'Deactivate …' }).click();
    await confirm(page, 'Deactivate');
    await page.getByRole('button', { name: 'Let in again' }).waitFor();
    expect(await stateOf()).toBe('deactivated');
    await page.getByRole('button', { name: 'Let in again' }).click();
    await page.getByRole('button', { name: 'Deactivate …' }).waitFor();
    expect(await stateOf()).toBe(before);
    await page.getByRole('button', { name: 'Reset the password …' }).click();
    await confirm(page, 'Reset, and make a link');
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.locator('code').innerText()).toContain('/reset-password?token=');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Remove …' }).click();
    await confirm(page, 'Remove');
    await isSaid(page, 'Alan Turing is removed.');
    await page.waitForURL('**/admin/users');
    expect((await admin.send('GET', `/api/v1/users/${alan}`)).status).toBe(404);
    expect(faults).toEqual([]);
  });
});

describe('a flow', () => {
  it('is exported as a file, from which another is made; one that is no flow is refused with what is wrong', async () => {
    const { page, go, faults } = await visit(admin);
    const dialog = page.getByRole('dialog');
    await go(`/flows/${blueprint}`);
    const [file] = await Promise.all([page.waitForEvent('download'), command(page, 'Export as a document')]);
    expect(file.suggestedFilename()).toBe('greet-a-customer.flow.json');
    const document = await readFile(await file.path(), 'utf8');
    await go('/flows');
    await page.getByRole('button', { name: 'New flow' }).click();
    await dialog.getByText('From a document').click();
    const give = async (buffer: Buffer) => {
      const chooser = page.waitForEvent('filechooser');
      await dialog.getByRole('button', { name: 'Choose a file …' }).click();
      await (await chooser).setFiles({ name: 'a.flow.json', mimeType: 'application/json', buffer });
    };
    await give(Buffer.from(document.replace('weft.flow/1', 'weft.flow/99')));
    await dialog.getByRole('button', { name: 'Make the flow' }).click();
    await dialog.getByRole('alert').getByText('schema').first().waitFor();
    expect(await faultsOfLooks(page, DIALOG)).toEqual([]);
    await give(Buffer.from(document));
    await dialog.getByLabel('Name').fill('From the file');
    await dialog.getByRole('button', { name: 'Make the flow' }).click();
    await page.waitForURL('**/flows/*');
    expect(await admin.must(200, 'GET', `/api/v1/flows/${lastPart(page.url())}`)).toMatchObject({
      name: 'From the file',
      isBlueprint: true,
      layers: [{ ref: 'greet', args: { template: '{{ $blueprint.greeting }}, {{ $prev.args.name }}!' } }],
    });
    expect(faults).toEqual([]);
  });

  it('is duplicated by a menu, which has the keyboard again after it; the copy is deleted', async () => {
    const { page, go, faults } = await visit(admin);
    const dialog = page.getByRole('dialog');
    await go(`/flows/${demo.orders}`);
    await command(page, 'Duplicate …');
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await hasFocus(page.getByRole('button', { name: 'More commands' }));
    await command(page, 'Duplicate …');
    await dialog.getByLabel('Name of the copy').fill('Another intake');
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'Another intake' }).waitFor();
    const id = lastPart(page.url());
    const copy = await admin.must<{ enabled: boolean; layers: object[] }>(200, 'GET', `/api/v1/flows/${id}`);
    expect([copy.enabled, copy.layers.length]).toEqual([false, 4]);
    await command(page, 'Delete …');
    await confirm(page, 'Delete');
    await page.waitForURL('**/flows');
    await isSaid(page, '“Another intake” is deleted.');
    expect((await admin.send('GET', `/api/v1/flows/${id}`)).status).toBe(404);
    expect(faults).toEqual([]);
  });
});
