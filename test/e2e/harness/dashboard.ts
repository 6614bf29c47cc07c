import type { ApiClient } from '@weft/testing';
import type { Page } from 'playwright-core';
import { demoCompany, type DemoCompany } from '../../fixtures/demo-company.js';
import { sharedFleet, type Fleet } from './fleet.js';
import { colorFaults, overflowOf, seriousFaults, visitorsOf, type Visitor, type VisitOptions } from './visitor.js';

export interface Dashboard {
  readonly fleet: Fleet;
  readonly admin: ApiClient;
  readonly demo: DemoCompany;
  /** Of the admin. */
  readonly companyId: string;
  readonly visit: (client?: ApiClient, options?: VisitOptions) => Promise<Visitor>;
}

/** The demo company in the Weft that this worker has, and a Chromium that looks at its dashboard. Call it at the top of a spec file. */
export async function openDashboard(): Promise<Dashboard> {
  return dashboardOf(await sharedFleet('standalone'));
}

/** The same in a Weft of the spec file's own. */
export async function dashboardOf(fleet: Fleet): Promise<Dashboard> {
  const { admin } = fleet;
  const { visit } = await visitorsOf(admin.url);
  const demo = await demoCompany(admin);
  const me = await admin.must<{ company_id: string }>(200, 'GET', '/api/v1/auth/me');
  return { fleet, admin, demo, companyId: me.company_id, visit };
}

/** A page, and a text that is there when the page is. */
export type PageSeen = readonly [path: string, text: string];

const HEIGHT = 900;
/** The widths at which every page is looked at. */
const WIDTHS = [1_440, 380] as const;
const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

/**
 * In which scheme what is open is looked at in each width. With `npm run test:faults` in both; each day in one, the other one in the
 * other width. Which, is decided by the page, so that what many pages have is seen in both.
 */
function schemesOf(url: string, within = ''): (at: number) => readonly Scheme[] {
  if (process.env.WEFT_EVERY !== undefined) return () => SCHEMES;
  const { pathname, search } = new URL(url);
  // ids differ from run to run
  const what = `${pathname}${search}${within}`.replaceAll(/[\da-z]{20}/g, '');
  const first = [...what].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return (at) => [SCHEMES[(first + at) % SCHEMES.length] ?? 'light'];
}

/**
 * What keeps somebody from using a page, narrow or wide, light or dark: what axe finds, and whether it is wider than the
 * screen. Empty: nothing. It is loaded once, and then seen in each width.
 */
export async function faultsOfPage(visitor: Visitor, [path, text]: PageSeen): Promise<string[]> {
  const { page, faults } = visitor;
  await visitor.follow(path);
  await page.getByText(text).first().waitFor();
  return [...(await faultsOfLooks(page)), ...faults];
}

/**
 * The same of what the page shows now. Afterwards it is wide and light again, as visitors open it.
 *
 * @param within a selector of what is looked at, for example a dialog
 */
export async function faultsOfLooks(page: Page, within?: string): Promise<string[]> {
  const found: string[] = [];
  // a menu opens its dialog in a later frame
  await page
    .locator(within ?? 'body')
    .first()
    .waitFor();
  const schemes = schemesOf(page.url(), within);
  for (const [at, width] of WIDTHS.entries()) {
    for (const [nth, scheme] of schemes(at).entries()) {
      await paint(page, width, scheme);
      // a menu of what narrow screens do not have
      if (width !== WIDTHS[0] && within !== undefined && (await page.locator(within).count()) === 0) break;
      const tooWide = nth === 0 ? await overflowOf(page) : 0;
      if (tooWide > 0) found.push(`${width} px: ${tooWide} px wider than the screen`);
      const faults = await (nth === 0 ? seriousFaults : colorFaults)(page, within);
      found.push(...faults.map((fault) => `${width} px, ${scheme}: ${fault}`));
    }
  }
  await paint(page, WIDTHS[0], 'light');
  return found;
}

/** Both at once: what is laid out and drawn in between nobody looks at. */
async function paint(page: Page, width: number, colorScheme: Scheme): Promise<void> {
  await Promise.all([page.setViewportSize({ width, height: HEIGHT }), page.emulateMedia({ colorScheme })]);
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
}

/** Waits until the stream is connected. */
export function isLive({ page }: Visitor): Promise<void> {
  return page.getByText('Live', { exact: true }).first().waitFor();
}

/** The rows of the list of plays that are in the page, as `<id> <state>`. */
export function shownPlays({ page }: Visitor): Promise<string[]> {
  const read = `[...document.querySelectorAll('[data-play]')]
    .map((row) => row.dataset.play + ' ' + row.querySelector('[data-state]').dataset.state)`;
  return page.evaluate<string[]>(read);
}
