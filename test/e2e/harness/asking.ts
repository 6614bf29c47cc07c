import type { Locator, Page } from 'playwright-core';

/** What a person does with forms and questions, by the names that are on the screen. */

/** Chooses from a list that opens over the page. */
export async function choose(page: Page, field: Locator, option: string | RegExp): Promise<void> {
  await field.click();
  await page.getByRole('option', { name: option }).click();
}

/** Waits until the keyboard is there. */
export const hasFocus = (locator: Locator): Promise<void> => locator.and(locator.page().locator(':focus')).waitFor();

/** What was done is said, also to those who don't see the page change. */
export const isSaid = (page: Page, text: string): Promise<void> => page.getByRole('alert').getByText(text).waitFor();

/** Answers the question that asks before something goes. */
export const confirm = (page: Page, action: string): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name: action }).click();

/** Of the menu of a page. */
export async function command(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More commands' }).click();
  await page.getByRole('menuitem', { name }).click();
}
