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

/** People at browsers, for the specs of a file. */
export async function visitorsOf(url: string) {
  const browser = await (chromium ??= openChromium());
  // A page that is opened again finds its scripts in the cache: to fetch and compile them is most of what a page costs.
  const contexts = new Map<string, Promise<BrowserContext>>();
  afterAll(async () => {
    await Promise.all([...contexts.values()].map(async (context) => (await context).close()));
  });
  return {
    /**
     * A new page. The page of a test is closed at its end.
     *
     * @param client whose session it is; nobody's without it
     */
    visit: async (client?: ApiClient): Promise<Visitor> => {
      const session = client?.credentials.cookie ?? `nobody ${contexts.size}`;
      const opening = contexts.get(session) ?? browser.newContext(LOOK);
      contexts.set(session, opening);
      const context = await opening;
      await context.clearCookies();
      if (client) await addSession(context, client, url);
      const visitor = await visitorIn(context, url);
      if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => visitor.page.close());
      return visitor;
    },
  };
}

const LOOK = {
  viewport: { width: 1_440, height: 900 },
  colorScheme: 'light',
  reducedMotion: 'reduce',
} as const;

async function addSession(context: BrowserContext, client: ApiClient, url: string): Promise<void> {
  const [, value = ''] = /^sid=(.*)$/.exec(client.credentials.cookie ?? '') ?? [];
  await context.addCookies([{ name: 'sid', value, url, httpOnly: true, sameSite: 'Strict' }]);
}

async function visitorIn(context: BrowserContext, url: string): Promise<Visitor> {
  const page = await context.newPage();
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
  return {
    page,
    faults,
    calls,
    go: async (path) => {
      await page.goto(`${url}${path}`);
    },
    follow: async (path) => {
      // ends when the router has rendered what the address means
      if (page.url().startsWith(url)) await page.evaluate(`__TSR_ROUTER__.navigate(${JSON.stringify({ href: path })})`);
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

/** Nothing is reported that nobody reads: it takes a fifth of the time. */
const LEAST = { resultTypes: ['violations'], selectors: false, elementRef: false };

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
