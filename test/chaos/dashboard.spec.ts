// Processes of its own: their connections are cut under load.
import { stdout } from 'node:process';
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { dashboardOf, isLive, shownPlays } from '../e2e/harness/dashboard.js';
import { startFleet } from '../e2e/harness/fleet.js';
import type { Visitor } from '../e2e/harness/visitor.js';
import { CAMPAIGN_TIMEOUT_MS, MINUTES } from './harness/campaign-length.js';
import { cuttableWay } from './harness/cuttable-way.js';
import { runMany } from './harness/single-call-flow.js';
import { steadyLoad } from './harness/steady-load.js';

/** In the long form 200 plays a second with a cut every 3 s; in `npm test` as little as still has several cuts. */
const LOAD =
  MINUTES > 0
    ? { perSecond: 200, seconds: MINUTES * 60, cuts: Math.ceil(MINUTES * 20) }
    : { perSecond: 20, seconds: 3, cuts: 3 };
/** Runs of one request. */
const BATCH = 5;
const BATCHES = (LOAD.perSecond * LOAD.seconds) / BATCH;
/** From the last play of the load to a table that stands still. */
const SETTLED_WITHIN_MS = 180_000;

const { admin, fleet, visit } = await dashboardOf(await startFleet({ apps: ['standalone'] }));
const way = await cuttableWay(fleet.one('standalone').port);

async function quickFlow(): Promise<string> {
  const { id } = await admin.createFlow({ name: 'Quick' });
  await admin.addLayer(id, { ref: 'hello', appId: 'text-template', args: { template: 'Hello' } });
  return id;
}

/** All rows of `GET /plays`, as `<id> <state>`. */
async function listed(flowId: string): Promise<string[]> {
  interface Page {
    readonly items: readonly { readonly id: string; readonly state: string }[];
    readonly nextCursor: string | null;
  }
  const rows: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const at = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = await admin.must<Page>(200, 'GET', `/api/v1/plays?flowId=${flowId}&size=200${at}`);
    rows.push(...page.items.map(({ id, state }) => `${id} ${state}`));
    cursor = page.nextCursor;
  }
  return rows;
}

/** All rows of the table: only those on the screen are in the page, so it is scrolled from its top to its end. */
async function wholeTable({ page }: Visitor): Promise<string[]> {
  const scroll = `new Promise(async (done) => {
    const rows = new Map();
    const frame = () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    for (let top = 0; ; top += innerHeight / 2) {
      scrollTo(0, top);
      await frame();
      for (const row of document.querySelectorAll('[data-play]')) {
        rows.set(Number(row.ariaRowIndex ?? row.getAttribute('aria-rowindex')), row.dataset.play + ' ' + row.querySelector('[data-state]').dataset.state);
      }
      if (top + innerHeight >= document.documentElement.scrollHeight) break;
    }
    scrollTo(0, 0);
    done([...rows].sort((a, b) => a[0] - b[0]).map(([, row]) => row));
  })`;
  return page.evaluate<string[]>(scroll);
}

it(
  'a list of plays is kept by the stream alone, at a rate and over cuts of the socket, and equals the API',
  { timeout: CAMPAIGN_TIMEOUT_MS + SETTLED_WITHIN_MS },
  async () => {
    const flowId = await quickFlow();
    const visitor = await visit(admin);
    const { page, calls } = visitor;
    let sockets = 0;
    page.on('websocket', () => (sockets += 1));
    await page.goto(`${way.url}/plays?flowId=${flowId}`);
    await page.getByText('No play matches').waitFor();
    await isLive(visitor);
    // from the first message on there is a place to resume from
    await admin.run(flowId, { args: {} });
    await page.getByRole('button', { name: '1 newer' }).click();
    await page.getByLabel('Follow').check();
    await page.waitForLoadState('networkidle');
    calls.length = 0;

    const startedAt = performance.now();
    const load = steadyLoad(LOAD.perSecond / BATCH, () => runMany(admin, flowId, BATCH));
    const sent = (batches: number): Promise<unknown> =>
      waitFor(() => load.answered.length >= batches, { what: `${batches} batches`, withinMs: CAMPAIGN_TIMEOUT_MS });
    const took = sent(BATCHES).then(async () => {
      await load.stop();
      return performance.now() - startedAt;
    });
    for (let cut = 1; cut <= LOAD.cuts; cut += 1) {
      await sent(((cut - 0.5) / LOAD.cuts) * BATCHES);
      await waitFor(() => way.cut() > 0, { what: 'a connection to cut', withinMs: 20_000 });
      await waitFor(() => sockets > cut, { what: 'another socket', withinMs: 20_000 });
    }
    const tookMs = await took;
    expect(load.unanswered).toEqual([]);
    const accepted = 1 + load.answered.length * BATCH;
    await isLive(visitor);
    await page.getByText(`${accepted.toLocaleString('en-US')} in all`).waitFor({ timeout: SETTLED_WITHIN_MS });
    await page
      .getByRole('button', { name: `Done ${accepted.toLocaleString('en-US')}` })
      .waitFor({ timeout: SETTLED_WITHIN_MS });

    const expected = await listed(flowId);
    expect(expected).toHaveLength(accepted);
    await waitFor(
      async () => {
        const button = page.getByRole('button', { name: /newer|no longer/ });
        if ((await button.count()) > 0) await button.click();
        return (await shownPlays(visitor)).every((row, i) => row === expected[i]);
      },
      { what: 'the first rows to equal the list', withinMs: 20_000 },
    );
    expect(await wholeTable(visitor)).toEqual(expected);
    // nothing was asked for besides the stream
    expect(calls.filter((call) => !call.endsWith('/api/ws'))).toEqual([]);
    expect(visitor.faults).toEqual([]);
    if (MINUTES > 0) {
      const rate = Math.round((accepted - 1) / (tookMs / 1_000));
      stdout.write(`${accepted} plays at ${rate} a second, ${sockets - 1} cuts, 0 requests besides the stream\n`);
      stdout.write(`first row usable after ${await firstRowMs()} ms\n`);
    }
  },
);

/** From the start of the navigation to a row of the list, in a browser that has nothing stored. */
async function firstRowMs(): Promise<number> {
  const visitor = await visit(admin);
  const { page } = visitor;
  await page.addInitScript(`new MutationObserver((_, me) => {
    if (!document.querySelector('[data-play]')) return;
    globalThis.firstRowMs = performance.now();
    me.disconnect();
  }).observe(document, { childList: true, subtree: true })`);
  await visitor.go('/plays');
  await page.locator('[data-play]').first().waitFor();
  return Math.round(await page.evaluate<number>('firstRowMs'));
}
