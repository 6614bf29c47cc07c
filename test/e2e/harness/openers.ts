import type { Page } from 'playwright-core';
import { faultsOfLooks } from './dashboard.js';
import type { Visitor } from './visitor.js';

/** What opens over the page. */
const OPENED = '[role=dialog], [role=menu]';
/** These open something, and their names do not end in "…", as those of the others do. */
const OTHERS = ['Add a layer', 'Find'];
/** These do not: one asks the browser for a file, the other goes to another server. */
const NOT_HERE = ['Choose a file …', 'Choose the file …', 'Sign in …'];
/** Menus that each row or field has: one of them is looked at. */
const OF_ROWS = /^(Copy|More for|Commands for|What to do with) .*/;
const WIDER = 'wider than the screen';
const OPENS_MS = 10_000;

interface Opener {
  /** The same for all that open the same. */
  readonly key: string;
  /** Among all buttons of the page. */
  readonly at: number;
  /** What opens is placed next to the button when it opens, and not again for another width. */
  readonly isPlaced: boolean;
}

interface Button {
  readonly name: string;
  readonly popup: string | null;
  readonly isDead: boolean;
  /** Of the frame that all pages have. */
  readonly isOfFrame: boolean;
}

/**
 * Opens whatever a page opens — dialogs, menus, what their items open, and the tabs in them — and looks at it as at a page.
 *
 * @param known what was looked at before, of this page and of the frame around all pages: it is added to
 * @param prepare what is done on the page before each
 * @returns what keeps somebody from using it; empty: nothing
 */
export async function faultsOfOpened(
  { page }: Visitor,
  path: string,
  known: Set<string>,
  prepare?: (page: Page) => Promise<void>,
): Promise<string[]> {
  const route = path.replace(/\?.*/, '').replaceAll(/[\da-z]{20}/g, '*');
  const found: string[] = [];
  await prepare?.(page);
  for (const { key, isPlaced } of await openersOf(page, route)) {
    if (known.has(key)) continue;
    known.add(key);
    const open = async (): Promise<boolean> => {
      await prepare?.(page);
      const at = (await openersOf(page, route)).find((each) => each.key === key)?.at;
      if (at === undefined) return false;
      await page.locator('button').nth(at).click();
      return isOpened(page);
    };
    if (!(await open())) found.push(`${key}: nothing opens`);
    else found.push(...(await faultsOfOne(page, key, open)).filter((fault) => !isPlaced || !fault.endsWith(WIDER)));
  }
  return found;
}

async function faultsOfOne(page: Page, key: string, open: () => Promise<boolean>): Promise<string[]> {
  const found = (await faultsOfLooks(page, OPENED)).map((fault) => `${key}: ${fault}`);
  for (const tab of await page.locator(OPENED).getByRole('tab').all()) {
    if ((await tab.getAttribute('aria-selected')) === 'true') continue;
    await tab.click();
    found.push(...(await faultsOfLooks(page, OPENED)).map((fault) => `${key}, another tab: ${fault}`));
  }
  const items = (await page.getByRole('menuitem').allInnerTexts()).filter((name) => name.trim().endsWith('…'));
  for (const [i, name] of items.entries()) {
    if (i > 0) await open();
    await page.getByRole('menuitem', { name: name.trim() }).first().click();
    await page.locator('[role=dialog]').first().waitFor();
    found.push(...(await faultsOfLooks(page, '[role=dialog]')).map((fault) => `${key}, ${name}: ${fault}`));
    await close(page);
  }
  await close(page);
  return found;
}

async function openersOf(page: Page, route: string): Promise<Opener[]> {
  const buttons = await page.evaluate<readonly Button[]>(`[...document.querySelectorAll('button')].map((button) => ({
    name: (button.getAttribute('aria-label') ?? button.textContent).trim(),
    popup: button.getAttribute('aria-haspopup'),
    isDead: button.matches(':disabled, [data-disabled]') || !button.checkVisibility(),
    isOfFrame: button.closest('main') === null,
  }))`);
  return buttons.flatMap((button, at) =>
    isOpener(button)
      ? [
          {
            at,
            isPlaced: button.popup !== null,
            key: `${button.isOfFrame ? 'every page' : route}: ${button.name.replace(OF_ROWS, '$1')}`,
          },
        ]
      : [],
  );
}

function isOpener({ name, popup, isDead }: Button): boolean {
  if (isDead || NOT_HERE.includes(name)) return false;
  return popup === 'menu' || popup === 'dialog' || name.endsWith('…') || OTHERS.some((other) => name.startsWith(other));
}

async function isOpened(page: Page): Promise<boolean> {
  return page
    .locator(OPENED)
    .first()
    .waitFor({ timeout: OPENS_MS })
    .then(
      () => true,
      () => false,
    );
}

async function close(page: Page): Promise<void> {
  for (let presses = 0; presses < 3 && (await page.locator(OPENED).first().isVisible()); presses += 1) {
    await page.keyboard.press('Escape');
    await page
      .locator(OPENED)
      .first()
      .waitFor({ state: 'hidden', timeout: 2_000 })
      .catch(() => undefined);
  }
}
