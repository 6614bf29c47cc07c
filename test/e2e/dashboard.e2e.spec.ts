import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { ApiClient, waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { faultsOfLooks, isLive, shownPlays, openDashboard, type PageSeen } from './harness/dashboard.js';
import { neighbourCompany, signedIn } from './harness/neighbour-company.js';
import { seriousFaults } from './harness/visitor.js';

const { fleet, admin, demo, companyId, visit } = await openDashboard();

const MAX_FIRST_LOAD = 250 * 1024;
/** Pages that are opened directly, and what is there when they are; the most a page loads is that of a flow. */
const FIRST_PAGES: readonly PageSeen[] = [
  ['/login', 'Sign in'],
  ['/plays', 'Order intake'],
  ['/overview', 'by cause'],
  [`/plays/${demo.failed}`, 'no country for Grace Hopper'],
  [`/flows/${demo.orders}`, 'Sum up the order'],
  [`/flows/${demo.orders}?tab=schedules`, 'No schedule yet'],
  [`/flows/${demo.orders}?tab=settings`, 'Plays at once'],
  ['/webhooks', 'No webhook yet'],
];

describe('a person without a session', () => {
  it('signs in and comes back to the page that they opened', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.go(`/plays?state=FAIL`);
    await page.getByLabel('E-mail').fill(fleet.login.email);
    await page.getByLabel('Password').first().fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Request').waitFor();
    await page.getByLabel('Password').first().fill(fleet.login.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Plays' }).waitFor();
    expect(new URL(page.url()).search).toBe('?state=FAIL');
    expect(visitor.faults).toEqual([]);
  });

  it('accepts an invitation with the link alone', async () => {
    const email = 'new@weft.test';
    const roles = [{ company_id: companyId, role: 'viewer' }];
    const invited = await admin.must<{ invite_url: string }>(201, 'POST', '/api/v1/users', { email, roles });
    const { pathname, search } = new URL(invited.invite_url);
    const visitor = await visit();
    const { page } = visitor;
    await visitor.go(pathname + search);
    await page.getByLabel('Password').first().fill('staple gun on thursday');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').first().fill('staple gun on thursday');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Viewer', { exact: true }).waitFor();
    // what a viewer may not do is not there
    await visitor.go(`/plays/${demo.failed}`);
    await page.getByText('no country for Grace Hopper').first().waitFor();
    await expect.poll(() => page.getByRole('button', { name: /Retry|Run again|Cancel|Hold/ }).count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});

describe('a page that is opened directly', () => {
  it.each(FIRST_PAGES)('loads at most 250 KB of script, compressed: %s', async (path, text) => {
    const visitor = await visit(path === '/login' ? undefined : admin, { isNew: true });
    const sizes: Promise<number>[] = [];
    visitor.page.on('response', (response) => {
      if (!response.url().endsWith('.js')) return;
      sizes.push(response.body().then((body) => gzipSync(body).length));
    });
    await visitor.go(path);
    await visitor.page.getByText(text).first().waitFor();
    await visitor.page.waitForLoadState('networkidle');
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(50 * 1024);
    expect(total).toBeLessThan(MAX_FIRST_LOAD);
  });

  it('of every other route loads no more than that', async () => {
    const dir = 'dist/apps/dashboard';
    const manifest = JSON.parse(await readFile(`${dir}/manifest.json`, 'utf8')) as Record<string, Chunk>;
    const pages = Object.keys(manifest).filter((name) => /-(?:page|tab|layout)\.tsx$/.test(name));
    expect(pages.length).toBeGreaterThan(30);
    const sizeOf = async (name: string): Promise<number> =>
      gzipSync(await readFile(`${dir}/${manifest[name]?.file}`)).length;
    for (const page of pages) {
      const frame = page.startsWith('src/flow/') ? ['src/flow/flow-page.tsx'] : [];
      const names = withImports(manifest, ['index.html', ...frame, page]);
      const total = (await Promise.all(names.map(sizeOf))).reduce((sum, size) => sum + size, 0);
      expect([page, total]).toEqual([page, Math.min(total, MAX_FIRST_LOAD)]);
    }
  });
});

/** Of what vite has built. */
interface Chunk {
  readonly file: string;
  /** What it cannot do without. */
  readonly imports?: readonly string[];
}

function withImports(manifest: Readonly<Record<string, Chunk>>, names: readonly string[]): readonly string[] {
  const found = new Set(names);
  for (const name of found) for (const each of manifest[name]?.imports ?? []) found.add(each);
  return [...found];
}

describe('the list of plays', () => {
  it('is filtered by its address and walked by keys', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/plays?flowId=${demo.invoices}&state=WAIT,ON_HOLD`);
    await page.locator('[data-play]').first().waitFor();
    await expect.poll(() => shownPlays(visitor)).toEqual([`${demo.held} ON_HOLD`, `${demo.waiting} WAIT`]);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/plays/${demo.waiting}`);
    await page.getByText('Pay 480 EUR for invoice R-77?').first().waitFor();
    expect(visitor.faults).toEqual([]);
  });
});

describe('what has a name', () => {
  it('is found by Ctrl+K: a flow, a play by its label or its id, a page, a command', async () => {
    const { playId } = await admin.run(demo.invoices, {
      args: {},
      labels: { order: '5299' },
      idempotencyKey: 'inv-5299',
    });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/plays');
    await isLive(visitor);
    const find = async (text: string, found: RegExp): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Find/ }).fill(text);
      await page.getByRole('option', { name: found }).first().waitFor();
      await page.locator('[role=option][aria-selected=true]').getByText(found).waitFor();
      if (text === 'order:5299') expect(await faultsOfLooks(page, '[role=dialog]')).toEqual([]);
      await page.keyboard.press('Enter');
    };
    await find('intake', /Order intake/);
    await page.waitForURL(`**/flows/${demo.orders}`);
    await find('order:5299', /Pay an invoice/);
    await page.waitForURL(`**/plays/${playId}`);
    await find('audit', /Audit log/);
    await page.waitForURL('**/admin/audit');
    await find(demo.done, /Order intake/);
    await page.waitForURL(`**/plays/${demo.done}`);
    await page.getByRole('button', { name: 'Run again …' }).waitFor();
    await find('run again', /Run again …/);
    await page.getByRole('dialog', { name: /^Run again/ }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  it('is found by the search of the list, narrowed by a label, and kept as a view', async () => {
    const { playId } = await admin.run(demo.invoices, {
      args: {},
      labels: { order: '6001' },
      idempotencyKey: 'key-6001',
    });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/plays?cols=labels,key,person');
    await isLive(visitor);
    const row = page.locator(`[data-play="${playId}"]`);
    await row.getByText('key-6001').waitFor();
    await row.getByText('you', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('key-6*');
    await page.keyboard.press('Enter');
    await page.waitForURL(/idempotencyKeyPrefix=key-6/);
    await row.getByRole('link', { name: 'order:6001' }).click();
    await page.waitForURL(/label=order:6001/);
    await page.getByText('1 in all').waitFor();
    await expect.poll(() => shownPlays(visitor)).toHaveLength(1);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of the view').fill('One order');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'One order', exact: true }).waitFor();
    expect(await faultsOfLooks(page, '[role=menu]')).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'One order' }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Person', checked: true }).click();
    await page.waitForURL(/cols=labels,key(&|$)/);
    await page.getByRole('menuitemcheckbox', { name: 'Person', checked: false }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});

describe('selected plays', () => {
  it('are cancelled only after a question', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/plays?flowId=${demo.invoices}&state=WAIT`);
    await page.locator(`[data-play="${demo.waiting}"]`).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Cancel 1 open' }).click();
    const question = page.getByRole('dialog', { name: 'Cancel 1 play?' });
    await question.getByText('What they have done stays done').waitFor();
    await question.getByRole('button', { name: 'Close' }).click();
    await question.waitFor({ state: 'detached' });
    expect(visitor.calls).not.toContain('POST /api/v1/plays/bulk');
    expect((await admin.play(demo.waiting)).state).toBe('WAIT');
    expect(visitor.faults).toEqual([]);
  });
});

describe('the page of a play', () => {
  it('opens on what failed; a retry leads to the new play', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/plays?state=FAIL');
    await page.locator(`[data-play="${demo.failed}"] a`).click();
    await page.getByRole('option', { name: 'Check the address', selected: true }).waitFor();
    await page.getByRole('alert').getByText('no country for Grace Hopper').waitFor();
    // what is chosen further down leaves the page where it is
    await page.setViewportSize({ width: 1_440, height: 300 });
    await page.getByRole('region', { name: 'Picture of the play' }).waitFor();
    await page.evaluate('scrollTo(0, 150)');
    await page.getByRole('option', { name: 'Write the confirmation' }).click();
    await page.getByRole('option', { name: 'Write the confirmation', selected: true }).waitFor();
    expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Retry from the failure' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(demo.failed));
    await page.getByText('tried again from').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  it('has all of many layers in the page, and lays out those near what is seen', async () => {
    const layers = Array.from({ length: 70 }, (_, i) => ({
      ...{ ref: `step${i}`, appId: 'text-template', args: { template: `${i}` } },
    }));
    const flow = await admin.createFlow({ name: 'Many layers', layers });
    const { playId } = await admin.run(flow.id, { wait: 10_000 });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/plays/${playId}`);
    const last = page.locator('[data-timeline] [data-ref=step69]');
    await last.waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('[data-timeline] [role=option][aria-setsize="70"]').count()).toBe(70);
    await expect.poll(() => last.isVisible()).toBe(false);
    // as the search of the browser does, which finds what is hidden until then
    await expect.poll(() => page.locator('[hidden=until-found] [data-ref=step69]').count()).toBeGreaterThan(0);
    await page.locator('[data-timeline]').hover();
    await page.mouse.wheel(0, 5_000);
    await last.click();
    await page.getByRole('region', { name: 'Layer step69' }).waitFor();
    const box = page.getByRole('region', { name: 'Picture of the play' }).getByRole('button', { name: 'step69' });
    await box.waitFor();
    await expect.poll(() => box.getAttribute('aria-current')).toBe('true');
    await box.press('ArrowLeft');
    await expect.poll(() => page.locator(':focus').textContent()).toContain('step68');
    expect(visitor.faults).toEqual([]);
  });

  it('follows an approval that is decided on it, without being loaded anew', async () => {
    const { playId } = await admin.run(demo.invoices, { args: { invoice: 'R-80', amount: 12 } });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/plays/${playId}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('All 3 layers are through').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  it('names the plays that it waits for, and what these wait for', async () => {
    const child = await admin.createFlow({ name: 'Wait for the money' });
    await admin.addLayer(child.id, { ref: 'paid', appId: 'wait-event', args: { name: 'paid' } });
    const parent = await admin.createFlow({ name: 'Close the order' });
    await admin.addLayer(parent.id, { ref: 'money', appId: 'run-flow', args: { flowId: child.id } });
    const { playId } = await admin.run(parent.id);
    const chain = async () => {
      const path = `/api/v1/plays/${playId}/waiting`;
      return (await admin.must<{ chain: readonly { playId: string; waitsFor: string }[] }>(200, 'GET', path)).chain;
    };
    await waitFor(async () => (await chain()).at(-1)?.waitsFor === 'event', { what: 'both plays to wait' });
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go(`/plays/${playId}`);
    const list = page.getByRole('list', { name: 'Who waits for whom' });
    await list.getByText('This play waits for the end of').waitFor();
    await list.getByRole('link', { name: 'Wait for the money' }).click();
    await page.waitForURL(`**/plays/${(await chain())[1]?.playId}`);
    await page.getByText('waits for the event "paid"').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  it('keeps what was typed when the session ends, and sends it after signing in again', async () => {
    // a client of its own: a sign-in ends the session that it was sent with
    const person = await new ApiClient(admin.url).login(fleet.login);
    const visitor = await visit(person);
    const { page } = visitor;
    await visitor.go(`/plays/${demo.done}`);
    await page.getByRole('button', { name: 'Run again' }).click();
    const typed = '{ "order": { "customer": { "name": "Typed", "country": "AT" } } }';
    await page.getByLabel('Arguments as JSON').fill(typed);
    await person.send('POST', '/api/v1/auth/logout');
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Password').first().fill(fleet.login.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByLabel('Arguments as JSON').inputValue()).toBe(typed);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(demo.done));
    const { args } = await admin.play(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    expect(args).toEqual(JSON.parse(typed));
    expect(visitor.faults).toEqual([]);
  });
});

describe('the approvals', () => {
  it('come by themselves, and go when they are decided', async () => {
    const visitor = await visit(admin);
    const { page } = visitor;
    await visitor.go('/approvals');
    await page.getByText('Pay 480 EUR').waitFor();
    await isLive(visitor);
    const { playId } = await admin.run(demo.invoices, { args: { invoice: 'R-81', amount: 13 } });
    const card = page.locator(`[data-approval="${playId}"]`);
    await card.getByRole('button', { name: 'Approve' }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByText('Pay 480 EUR').waitFor();
    expect((await admin.waitForPlay(playId)).state).toBe('DONE');
    expect(visitor.faults).toEqual([]);
  });
});

describe('another company', () => {
  it('sees none of this one: neither by the list nor by the address of a play', async () => {
    const visitor = await visit(await neighbourCompany(fleet));
    const { page } = visitor;
    await visitor.go('/plays');
    await page.getByText('No play yet').waitFor();
    await visitor.go(`/plays/${demo.failed}`);
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByText('Grace Hopper').count()).toBe(0);
  });
});

describe('the first page', () => {
  it('shows a viewer of the company no page of figures', async () => {
    const visitor = await visit(await signedIn(fleet, 'viewer', companyId));
    await visitor.go('/');
    await visitor.page.waitForURL('**/plays');
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Overview' }).count()).toBe(0);
  });
});

describe('the sheet of keys, and the drawer of narrow screens', async () => {
  const { page, go, faults } = await visit(admin);

  it('are usable by everybody', async () => {
    await go('/plays');
    await page.getByRole('heading', { name: 'Plays' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await faultsOfLooks(page, '[role=dialog]')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 380, height: 900 });
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.getByRole('dialog', { name: 'Menu' }).waitFor();
    expect(await seriousFaults(page, '[role=dialog]')).toEqual([]);
    await page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name: 'Admin' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    expect(await seriousFaults(page, '[role=menu]')).toEqual([]);
    expect(faults).toEqual([]);
  });
});
