import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { ApiClient } from '@weft/testing';
import { afterAll, onTestFinished, TestRunner } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openChromium } from '../../fixtures/chromium.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A person at a browser, of whom everything is noted that no visit may show. */
export interface Visitor {
  readonly page: Page;
  /** Errors of scripts, and what the page's policy refused. */
  readonly faults: readonly string[];
  /** Requests to the API since the page was opened, as `GET /api/v1/plays`. */
  readonly calls: string[];
  go(path: string): Promise<void>;
  /** The same in the page that is open, as a link in it does. */
  follow(path: string): Promise<void>;
}

/** The Chromium of this worker: its spec files use it one after the other. It ends with the worker. */
let chromium: Promise<Browser> | undefined;

/** Cookies and storage of one person, and pages in them. */
interface Seat {
  readonly context: BrowserContext;
  /** Whose it is, or was; null: of nobody. */
  session: string | null;
  /** Pages that somebody looks at. */
  used: number;
  /** A page that is used again has its process, and in it what was fetched and compiled: that is most of what a new page costs. */
  readonly idle: Page[];
}

const seats: Seat[] = [];

export interface VisitOptions {
  /** In a page that nobody has used, and which nobody uses again: it may be given a clock, or scripts. Default false. */
  readonly isNew?: boolean;
}

/** People at browsers, for the specs of a file. */
export async function visitorsOf(url: string) {
  const browser = await (chromium ??= openChromium());
  return {
    /**
     * A page. It is the test's, or the file's, until its end; then nothing of it is left but the cache of its browser.
     *
     * @param client whose session it is; nobody's without it
     */
    visit: async (client?: ApiClient, { isNew = false }: VisitOptions = {}): Promise<Visitor> => {
      const seat = await seatOf(browser, client, url);
      const page = (isNew ? undefined : seat.idle.pop()) ?? (await seat.context.newPage());
      const leave = (): Promise<void> => leaveSeat(seat, page, isNew ? null : url);
      if (TestRunner.getCurrentTest() === undefined) afterAll(leave);
      else onTestFinished(leave);
      return visitorIn(page, url);
    },
  };
}

const LOOK = {
  viewport: { width: 1_440, height: 900 },
  colorScheme: 'light',
  reducedMotion: 'reduce',
} as const;

async function seatOf(browser: Browser, client: ApiClient | undefined, url: string): Promise<Seat> {
  const session = client?.credentials.cookie ?? null;
  const own = seats.find((seat) => seat.used > 0 && session !== null && seat.session === session);
  const known = own ?? seats.find(({ used }) => used === 0);
  const seat = known ?? { context: await browser.newContext(LOOK), session, used: 0, idle: [] };
  if (!known) seats.push(seat);
  seat.session = session;
  seat.used += 1;
  await seat.context.clearCookies();
  if (session !== null) {
    const [, value = ''] = /^sid=(.*)$/.exec(session) ?? [];
    await seat.context.addCookies([{ name: 'sid', value, url, httpOnly: true, sameSite: 'Strict' }]);
  }
  return seat;
}

/** @param url where the page waits for the next person; null: it is closed */
async function leaveSeat(seat: Seat, page: Page, url: string | null): Promise<void> {
  const isTidy = url !== null && !page.isClosed() && (await tidyUp(page, url));
  if (isTidy) seat.idle.push(page);
  else await page.close();
  seat.used -= 1;
  if (seat.used > 0) return;
  const others = seat.context.pages().filter((other) => !seat.idle.includes(other));
  await Promise.all(others.map((other) => other.close()));
}

/** False: its server has ended. */
async function tidyUp(page: Page, url: string): Promise<boolean> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  for (const event of ['pageerror', 'console', 'request', 'response']) page.removeAllListeners(event);
  // of the same origin: the page keeps its process, and its storage can be emptied
  const isThere = await page.goto(`${url}/health`).then(
    () => true,
    () => false,
  );
  if (!isThere) return false;
  await page.evaluate('localStorage.clear(), sessionStorage.clear()');
  await page.setViewportSize(LOOK.viewport);
  await page.emulateMedia({ colorScheme: LOOK.colorScheme });
  return true;
}

function visitorIn(page: Page, url: string): Visitor {
  page.setDefaultTimeout(120_000);
  const faults: string[] = [];
  const calls: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text());
  });
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`);
  });
  const isDashboard = (): Promise<boolean> => page.evaluate('"__TSR_ROUTER__" in window');
  return {
    page,
    faults,
    calls,
    go: async (path) => {
      await page.goto(`${url}${path}`);
    },
    follow: async (path) => {
      // ends when the router has rendered what the address means
      if (await isDashboard()) await page.evaluate(`__TSR_ROUTER__.navigate(${JSON.stringify({ href: path })})`);
      else await page.goto(`${url}${path}`);
    },
  };
}

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/**
 * What axe finds on the page that keeps somebody from using it, each as a sentence.
 *
 * @param within a selector of the part that is looked at; default: all
 */
export function seriousFaults(page: Page, within?: string): Promise<readonly string[]> {
  return axeFaults(page, {}, within);
}

/** The rules that look at colours, and so find something else in the other scheme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Nothing is reported that nobody reads, and no style sheet is read again for rules that do not run. */
const LEAST = { resultTypes: ['violations'], selectors: false, elementRef: false, preload: false };

/** The same of its colours alone. */
export function colorFaults(page: Page, within?: string): Promise<readonly string[]> {
  return axeFaults(page, { runOnly: COLOUR_RULES }, within);
}

async function axeFaults(page: Page, options: object, within = 'html'): Promise<readonly string[]> {
  // evaluated, not added as a script element: the page's policy allows none
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  const asked = JSON.stringify({ ...options, ...LEAST });
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(${JSON.stringify(within)}, ${asked}).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** How far the page is wider than the screen. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
