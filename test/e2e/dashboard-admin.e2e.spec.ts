import { readFile } from 'node:fs/promises';
import { ApiClient, waitFor } from '@weft/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoPeople } from '../fixtures/demo-people.js';
import { identityProvider } from '../fixtures/identity-provider.js';
import { isLive, shownPlays, openDashboard } from './harness/dashboard.js';
import { signedIn } from './harness/neighbour-company.js';
import { seriousFaults } from './harness/visitor.js';

const { fleet, admin, demo, companyId, visit } = await openDashboard();
const people = await demoPeople(admin, companyId, demo.invoices);

interface Listed {
  readonly items: readonly { readonly id: string; readonly state: string }[];
}

const listed = (query: string): Promise<Listed> => admin.must<Listed>(200, 'GET', `/api/v1/plays?${query}`);

describe('the list of plays', () => {
  it('cancels all that match a filter after a question that says how many, and shows how far it is', async () => {
    const labels = { batch: 'cancel, all' };
    const started = [1, 2, 3].map((n) => admin.run(demo.invoices, { args: { invoice: `C-${n}`, amount: n }, labels }));
    const ids = (await Promise.all(started)).map(({ playId }) => playId);
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/plays?label=${encodeURIComponent('batch:cancel%2C all')}&state=WAIT,NEW,RUN`);
    await page.locator('[data-play]').nth(2).waitFor();
    expect((await shownPlays(visitor)).map((row) => row.split(' ')[0]).toSorted()).toEqual(ids.toSorted());
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'that match' }).click();
    await page.getByRole('button', { name: 'Cancel the open ones' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel 3 plays' });
    await dialog.getByRole('button', { name: 'Cancel 3 plays' }).click();
    await dialog.getByText('3 of 3 cancelled').waitFor();
    for (const id of ids) expect(await admin.play(id)).toMatchObject({ state: 'FAIL', error: { code: 'cancelled' } });
    await dialog.getByRole('link', { name: 'All bulk operations' }).click();
    await page.locator('[data-bulk=done]').first().waitFor();
    expect(visitor.faults).toEqual([]);
  });

  it('stops an operation that runs, and the rest stays as it was', async () => {
    const labels = { batch: 'stop' };
    const runs = Array.from({ length: 8 }, () =>
      admin.run(demo.invoices, { args: { invoice: 'S', amount: 1 }, labels }),
    );
    for (const { playId } of await Promise.all(runs)) await admin.waitForPlay(playId, { state: 'WAIT' });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/plays?label=batch:stop');
    await page.getByLabel('Select all that are shown').check();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel 8 open' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('At most this many a second').fill('1');
    await dialog.getByRole('button', { name: 'Cancel 8 plays' }).click();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText('the rest was stopped').waitFor();
    const { items } = await listed('label=batch:stop&state=WAIT');
    expect(items.length).toBeGreaterThan(0);
    expect(visitor.faults).toEqual([]);
  });

  it('is ordered by the end, live, and narrowed by its form; all of it is in the address', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/plays');
    await isLive(visitor);
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Label').fill('customer:Ada, Lovelace');
    await page.getByLabel('Ended from').fill('2026-01-01T00:00:00');
    await page.getByRole('button', { name: 'Show these' }).click();
    await page.getByText('No play matches').waitFor();
    await page.getByRole('combobox', { name: 'Order' }).click();
    await page.getByRole('option', { name: 'Last ended first' }).click();
    await page.waitForURL(/sort=completedAt/);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('label')).toBe('customer:Ada%2C Lovelace');
    expect(Date.parse(searchParams.get('endedFrom') ?? '')).not.toBeNaN();
    const labels = { customer: 'Ada, Lovelace' };
    const { playId } = await admin.run(demo.orders, { args: { order: { customer: {} } }, labels });
    await page.getByRole('button', { name: '1 newer' }).click();
    await expect.poll(() => shownPlays(visitor)).toEqual([`${playId} FAIL`]);
    await page.reload();
    await page.locator('[data-play]').first().waitFor();
    await expect.poll(() => shownPlays(visitor)).toEqual([`${playId} FAIL`]);
    await page.getByRole('button', { name: 'Without the filter customer:' }).click();
    await page.waitForURL((url) => !url.searchParams.has('label'));
    expect(visitor.faults).toEqual([]);
  });

  it('is exported as a file of exactly what matches', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/plays?flowId=${demo.orders}`);
    await page.locator('[data-play]').first().waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByText('NDJSON', { exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Make the file' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('plays.ndjson');
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    const { items } = await listed(`flowId=${demo.orders}&size=200`);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(items);
    expect(visitor.faults).toEqual([]);
  });
});

describe('admin', () => {
  it('invites somebody, who then signs in with the role that they were given', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/admin/users');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill('barbara@weft.test');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Flow executor' }).click();
    await page.getByRole('button', { name: 'Make the invitation' }).click();
    const link = await page.getByRole('dialog').locator('code').innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'barbara@weft.test' }).waitFor();
    const token = new URL(link).searchParams.get('token');
    const password = 'staple gun on thursday';
    const nobody = new ApiClient(admin.url);
    await nobody.must(204, 'POST', '/api/v1/auth/password/accept', { token, password });
    const { roles } = await nobody.must<{ roles: string[] }>(200, 'POST', '/api/v1/auth/login', {
      email: 'barbara@weft.test',
      password,
    });
    expect(roles).toEqual(['flow_executor']);
    expect(visitor.faults).toEqual([]);
  });

  it('changes a role, and the history of the user says so', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/admin/users/${people.grace}`);
    await page.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Audit viewer' }).click();
    await page.getByRole('button', { name: 'Give this role' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Give the role' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('flow_editor → audit_viewer').waitFor();
    expect(new URL(page.url()).search).toBe(`?resource_type=user&resource_id=${people.grace}`);
    expect(visitor.faults).toEqual([]);
  });

  it('shows each role its pages, and says of the others that they are not for it', async () => {
    const visitor = await visit(await signedIn(fleet, 'audit_viewer', companyId));
    const { page } = visitor;
    await visitor.go('/admin');
    await page.waitForURL('**/admin/users');
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    const nav = page.getByRole('navigation', { name: 'Admin' });
    await expect.poll(() => nav.getByRole('link').allInnerTexts()).toEqual(['Users', 'Roles', 'Audit log']);
    await expect.poll(() => page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    visitor.calls.length = 0;
    await visitor.go('/admin/retention');
    await page.getByText('It is for admins. You are: Audit viewer.').waitFor();
    expect(visitor.calls.filter((call) => call.includes('retention'))).toEqual([]);
    const viewer = await visit(await signedIn(fleet, 'viewer', companyId));
    await viewer.go('/admin');
    await viewer.page.getByText('Nothing here for your role').waitFor();
    await expect.poll(() => viewer.page.getByRole('link', { name: 'Admin' }).count()).toBe(0);
  });
});

describe('an approval', () => {
  it('is decided by its link alone', async () => {
    const { playId } = await admin.run(demo.invoices, { args: { invoice: 'L-1', amount: 7 } });
    await admin.waitForPlay(playId, { state: 'WAIT' });
    const { items } = await admin.must<{ items: readonly { approveUrl: string }[] }>(
      ...([200, 'GET', `/api/v1/plays/${playId}/approvals`] as const),
    );
    const { pathname, hash } = new URL(items[0]?.approveUrl ?? '');
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(pathname + hash);
    await page.getByText('Pay 7 EUR').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    expect((await admin.waitForPlay(playId)).state).toBe('DONE');
  });
});

describe('a sign-in at a provider', () => {
  it('in a second window goes on with the page whose session has ended, as it was', async () => {
    const redirect_uri = `${admin.url}/auth/callback`;
    const idp = await identityProvider({ redirectUris: [redirect_uri], accessTokenSeconds: 600 });
    onTestFinished(() => idp.close());
    idp.accounts.set('mary', { email: 'mary@example.org', email_verified: true, name: 'Mary' });
    await admin.must(201, 'POST', '/api/v1/admin/oauth-providers', {
      ...{
        name: 'Example ID',
        issuer: idp.issuer,
        client_id: idp.clientId,
        client_secret: idp.clientSecret,
        redirect_uri,
      },
      ...{ auto_create_users: true, auto_assign_company: companyId, auto_assign_role: 'viewer' },
    });
    const visitor = await visit();
    const { page } = visitor;
    const context = page.context();
    await visitor.go('/plays');
    await page.getByRole('link', { name: 'Continue with Example ID' }).click();
    await page.fill('input[name=login]', 'mary');
    await page.click('button');
    await page.locator('[data-play]').first().waitFor();
    await page.getByLabel('Find plays by id').fill('half typed');
    const sid = (await context.cookies(admin.url)).find(({ name }) => name === 'sid')?.value ?? '';
    await new ApiClient(admin.url, { cookie: `sid=${sid}` }).must(204, 'POST', '/api/v1/auth/logout');
    await page.getByText('Your session has ended').waitFor();
    // the provider, too, has forgotten who it was
    await context.clearCookies({ domain: new URL(idp.issuer).hostname });
    const second = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Continue with Example ID' }).click();
    const window = await second;
    await window.fill('input[name=login]', 'mary');
    await window.click('button');
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByLabel('Find plays by id').inputValue()).toBe('half typed');
    expect(visitor.faults).toEqual([]);
  });
});

describe('a company', () => {
  it('is limited, exported and erased by an operator, who says its name', async () => {
    await admin.must(201, 'POST', '/api/v1/companies', { name: 'Doomed & Söhne' });
    const visitor = await visit(admin);
    const { page, faults } = visitor;
    await visitor.go('/admin/company');
    const row = page.getByRole('row', { name: /Doomed & Söhne active/ });
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'What to do with Doomed & Söhne' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Limits …');
    await page.getByLabel('Runs a second').fill('5');
    await page.getByLabel('Label of its workers').fill('Not one');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be a lower-case letter').first().waitFor();
    await page.getByLabel('Label of its workers').fill('acme');
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText('5 runs a second, workers labelled acme').waitFor();
    await choose('Usage');
    await page.getByRole('dialog').getByText('Layer time').waitFor();
    await page.keyboard.press('Escape');
    await choose('Export');
    const job = page.getByRole('row', { name: /Export Doomed & Söhne/ });
    const file = await job.getByRole('link', { name: 'Download' }).getAttribute('href');
    expect((await admin.send('GET', String(file))).status).toBe(200);
    await choose('Erase …');
    const erase = page.getByRole('button', { name: 'Erase it for good' });
    await expect.poll(() => erase.isDisabled()).toBe(true);
    await page.getByLabel('Name of the company').fill('Doomed & Söhne');
    await erase.click();
    await page.getByRole('row', { name: /Erasure Doomed & Söhne/ }).waitFor();
    await row.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});

describe('two tabs of a browser', () => {
  it('go to the other company together', async () => {
    const other = await admin.must<{ id: string }>(201, 'POST', '/api/v1/companies', { name: 'The second' });
    const visitor = await visit(await new ApiClient(admin.url).login(fleet.login));
    const { page } = visitor;
    await visitor.go('/plays');
    await page.locator('[data-play]').first().waitFor();
    const second = await page.context().newPage();
    await second.goto(`${admin.url}/plays/${demo.failed}`);
    await second.getByText('no country for Grace Hopper').first().waitFor();
    await page.getByRole('button', { name: 'Switch company' }).click();
    await page.getByRole('menuitem', { name: 'The second' }).click();
    await second.waitForURL((url) => !url.pathname.includes(demo.failed));
    await second.getByText('The second').first().waitFor();
    await waitFor(async () => (await second.getByText('Grace Hopper').count()) === 0, { what: 'nothing of the first' });
    expect(other.id).not.toBe(companyId);
  });
});
