/** Somebody without a mouse: builds a flow, sees it fail, mends it and runs it again. Nothing is clicked. */
import type { FlowView } from '@weft/contracts';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { visitorsOf } from './harness/visitor.js';

const { admin } = await sharedFleet('standalone');
const { visit } = await visitorsOf(admin.url);

/** More stops than any page has before its last one. */
const MOST_STOPS = 120;

/** Tab, as often as it takes, to what has this role and name. */
async function tabTo(page: Page, role: 'button' | 'link' | 'textbox' | 'option', name: string | RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name, ...(typeof name === 'string' && { exact: true }) }).first();
  await wanted.waitFor();
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach the ${role} ${String(name)}`);
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, 'button', name);
  await page.keyboard.press('Enter');
}

it('builds a flow, finds what failed, mends it and runs it again by keyboard alone', async () => {
  const { page, go, faults } = await visit(admin);
  await go('/flows');
  await press(page, /^(Make the first flow|New flow …)$/);
  await page.getByRole('dialog', { name: 'New flow' }).waitFor();
  await tabTo(page, 'textbox', /^Name/);
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/flows/*');
  const { pathname } = new URL(page.url());
  const flow = () => admin.must<FlowView>(200, 'GET', `/api/v1${pathname}`);

  await press(page, 'Add a layer');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('text template');
  await page.keyboard.press('Enter');
  await tabTo(page, 'textbox', 'template');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Hello {{ $prev.args.nane }}');
  // the list of completions is left, and then the field
  await page.keyboard.press('Escape');
  await page.getByText('Not saved: 1 added').waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('All saved').waitFor();

  await press(page, 'Run …');
  const dialog = page.getByRole('dialog', { name: /^Run/ });
  await dialog.waitFor();
  await tabTo(page, 'textbox', /^Arguments/);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{ "name": "Ada" }');
  await press(page, 'Run');
  await page.waitForURL('**/plays/*');
  await page.getByRole('alert').getByText('nane').first().waitFor();

  await tabTo(page, 'link', 'By keyboard');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${pathname}`);
  await tabTo(page, 'textbox', 'template');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Hello {{ $prev.args.name }}');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+s');
  await page.getByText('All saved').waitFor();
  expect((await flow()).layers).toMatchObject([{ args: { template: 'Hello {{ $prev.args.name }}' } }]);

  await page.goBack();
  await page.waitForURL('**/plays/*');
  const failed = page.url();
  await press(page, 'Run again …');
  await page.getByRole('dialog').waitFor();
  await press(page, 'Run');
  await page.waitForURL((url) => url.pathname.startsWith('/plays/') && url.href !== failed);
  await page.getByText('Done', { exact: true }).first().waitFor();
  expect((await admin.play(new URL(page.url()).pathname.split('/').at(-1) ?? '')).state).toBe('DONE');
  expect(faults).toEqual([]);
});
