import type { ApiClient } from '@weft/testing';
import { demoCompany, type DemoCompany } from '../../fixtures/demo-company.js';
import { startFleet, type Fleet } from './fleet.js';
import { overflowOf, seriousFaults, visitorsOf, type Look, type Visitor } from './visitor.js';

export interface Dashboard {
  readonly fleet: Fleet;
  readonly admin: ApiClient;
  readonly demo: DemoCompany;
  /** Of the admin. */
  readonly companyId: string;
  readonly visit: (client?: ApiClient, look?: Look) => Promise<Visitor>;
}

/** A Weft with the demo company, and a Chromium that looks at its dashboard. Call it at the top of a spec file. */
export async function startDashboard(env: Readonly<Record<string, string>> = {}): Promise<Dashboard> {
  const fleet = await startFleet({ apps: ['standalone'], env });
  const { admin } = fleet;
  const { visit } = await visitorsOf(admin.url);
  const demo = await demoCompany(admin);
  const me = await admin.must<{ company_id: string }>(200, 'GET', '/api/v1/auth/me');
  return { fleet, admin, demo, companyId: me.company_id, visit };
}

/** A page, and a text that is there when the page is. */
export type PageSeen = readonly [path: string, text: string];

/** The widths at which every page is visited. */
export const WIDTHS = [380, 1_440] as const;
const SCHEMES = ['light', 'dark'] as const;

/** What keeps somebody from using these pages, light or dark: what axe finds, and whether it is wider than the screen. Empty: nothing. */
export async function faultsOfPages(visitor: Visitor, pages: readonly PageSeen[]): Promise<string[]> {
  const { page, faults } = visitor;
  const found: string[] = [];
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    for (const [path, text] of pages) {
      await visitor.go(path);
      await page.getByText(text).first().waitFor();
      found.push(...(await seriousFaults(page)).map((fault) => `${path}, ${scheme}: ${fault}`));
      const tooWide = await overflowOf(page);
      if (tooWide > 0) found.push(`${path}: ${tooWide} px wider than the screen`);
    }
  }
  return [...found, ...faults];
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
