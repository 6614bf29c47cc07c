// @ts-check
// `npm run frames`: for how long the dashboard keeps its main thread busy at once, where it has most to do, on a processor that is
// four times slower. Processor time of the thread, so a busy machine does not change it much. `-- <part of a name>`: only these.
import { withOwnWeft } from './own-weft.mjs';
import { say } from './setup/say.mjs';
import { giveUp } from './setup/trouble.mjs';

const SLOWER = 4;
const GOAL_MS = 100;
/** By which playwright asks a page something. */
const TOOL = 'blink.mojom.DevToolsSession';
const PLAYS = 10_000;
const A_SECOND = 100;
const LAYERS = 500;
const WANTED = process.argv[2] ?? '';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ readonly name: string, readonly path: string, readonly there: string, readonly work: (page: Page) => Promise<void> }} Scene */

try {
  await withOwnWeft(async ({ browser, context, send }) => {
    const scenes = (await scenesOf(send)).filter(({ name }) => name.includes(WANTED));
    const rows = [];
    for (const scene of scenes) {
      const page = await context.newPage();
      await page.setViewportSize({ width: 1440, height: 900 });
      const devtools = await context.newCDPSession(page);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
      /** @param {() => Promise<unknown>} act */
      const watched = async (act) => {
        await browser.startTracing(page, {
          categories: ['disabled-by-default-devtools.timeline', 'devtools.timeline', 'toplevel'],
        });
        await act();
        return worstOf(JSON.parse(String(await browser.stopTracing())).traceEvents);
      };
      const opening = await watched(async () => {
        await page.goto(scene.path);
        await page.locator(scene.there).first().waitFor();
        await page.waitForLoadState('networkidle');
      });
      const work = await watched(() => scene.work(page));
      rows.push({
        scene: scene.name,
        'opening: worst ms': opening.worst,
        'then: worst ms': work.worst,
        [`tasks over ${GOAL_MS} ms`]: work.over,
        what: work.what,
      });
      say(`${scene.name}: ${opening.worst} ms, then ${work.worst} ms`);
      await page.close();
    }
    console.table(rows);
  });
} catch (error) {
  giveUp(error);
}

/**
 * @param {import('./own-weft.mjs').OwnWeft['send']} send
 * @returns {Promise<readonly Scene[]>}
 */
async function scenesOf(send) {
  const flow = async (/** @type {object} */ document) => {
    const { body } = await send('POST', '/api/v1/flows/import', { document: { schema: 'weft.flow/1', ...document } });
    await send('PATCH', `/api/v1/flows/${body.id}`, { enabled: true });
    return body.id;
  };
  const template = (/** @type {string} */ ref, /** @type {string} */ text) => ({
    ref,
    appId: 'text-template',
    args: { template: text },
  });
  const short = await flow({ name: 'Short', layers: [template('say', 'It is {{ $prev.args.i }}')] });
  const long = await flow({
    name: 'Long',
    layers: Array.from({ length: LAYERS }, (_, i) => template(`layer${i}`, `Layer ${i}`)),
  });
  const item =
    '{ "id": $, "name": "An item with a name", "tags": ["a", "b"], "price": $ * 1.5, "in": { "stock": true } }';
  const large = await flow({
    name: 'Large',
    layers: [{ ref: 'rows', appId: 'transform', args: { expression: `[1..45000].${item}` } }],
  });
  const batch = (/** @type {number} */ count) =>
    send('POST', `/api/v1/flows/${short}/run-batch`, {
      runs: Array.from({ length: count }, (_, i) => ({ args: { i } })),
    });
  for (let i = 0; i < PLAYS; i += 1_000) await batch(1_000);
  const playOf = async (/** @type {string} */ id) => {
    const { body } = await send('POST', `/api/v1/flows/${id}/run`, { args: {}, wait: 30_000 });
    return body.playId;
  };
  const [longPlay, largePlay] = [await playOf(long), await playOf(large)];
  await ended(send);
  return [
    { name: `${PLAYS} rows of plays, to the last`, path: '/plays', there: '[data-play]', work: scrollDown },
    {
      ...{ name: `${A_SECOND} plays a second, followed`, path: '/plays', there: '[data-play]' },
      work: async (page) => {
        await page.locator('[role=switch]').check({ force: true });
        for (let second = 0; second < 15; second++) {
          const at = Date.now();
          await batch(A_SECOND);
          await page.waitForTimeout(Math.max(0, 1_000 - (Date.now() - at)));
        }
      },
    },
    {
      ...{ name: `a flow of ${LAYERS} layers, edited`, path: `/flows/${long}`, there: '[data-layer]' },
      work: async (page) => {
        await page.locator('[data-path=name] input').first().focus();
        await page.keyboard.type(' renamed', { delay: 60 });
        await page.locator('[role=toolbar] button').first().click();
        await page.keyboard.type('filter', { delay: 60 });
        await page.keyboard.press('Escape');
        await scrollDown(page);
      },
    },
    {
      ...{ name: `a play of ${LAYERS} layers`, path: `/plays/${longPlay}`, there: '[role=option]' },
      work: async (page) => {
        for (const ref of ['layer7', 'layer20']) await page.locator(`[data-timeline] [data-ref=${ref}]`).click();
        await scrollDown(page);
      },
    },
    {
      ...{ name: 'an output of 5 MB', path: `/plays/${largePlay}`, there: '[role=option]' },
      work: async (page) => {
        await page.getByRole('button', { name: 'Show its beginning' }).click();
        await page.waitForLoadState('networkidle');
        await page.locator('[role=group] button[aria-expanded=false]').first().click();
        await page.locator('input[aria-label^="Search in"]').pressSequentially('name', { delay: 60 });
        await page.waitForTimeout(1_000);
        await scrollDown(page);
      },
    },
  ];
}

/** @param {import('./own-weft.mjs').OwnWeft['send']} send */
async function ended(send) {
  for (;;) {
    const { body } = await send('GET', '/api/v1/plays/counts');
    const { counts = body } = body;
    if (['NEW', 'RUN'].every((state) => !counts[state])) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Page by page, until nothing more comes. @param {Page} page */
async function scrollDown(page) {
  let last = -1;
  for (let still = 0; still < 3;) {
    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, 4_000);
    await page.waitForTimeout(120);
    const at = await page.evaluate('scrollY');
    still = at === last ? still + 1 : 0;
    last = Number(at);
  }
}

/**
 * The longest task of the main thread of a page, without those in which this tool looks into the page.
 * @param {readonly { name: string, ph: string, pid: number, tid: number, ts: number, dur?: number, tdur?: number, args?: any }[]} events
 */
function worstOf(events) {
  const mains = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const ofMain = events.filter(({ ph, pid, tid }) => ph === 'X' && mains.has(`${pid} ${tid}`));
  const looks = ofMain.filter(({ args }) => args?.chrome_mojo_event_info?.mojo_interface_tag === TOOL);
  const tasks = ofMain
    .filter((task) => task.name === 'RunTask' && !looks.some((look) => isWithin(look, task)))
    .toSorted((a, b) => (b.tdur ?? 0) - (a.tdur ?? 0));
  const [worst] = tasks;
  if (!worst) return { worst: 0, over: 0, what: '' };
  const parts = ofMain.filter((part) => part !== worst && isWithin(part, worst));
  const what = parts
    .toSorted((a, b) => (b.tdur ?? 0) - (a.tdur ?? 0))
    .slice(0, 4)
    .map(
      ({ name, tdur = 0, args }) =>
        `${name} ${args?.data?.type ?? args?.data?.functionName ?? ''} ${Math.round(tdur / 1_000)}`,
    );
  return {
    worst: Math.round((worst.tdur ?? 0) / 1_000),
    over: tasks.filter(({ tdur = 0 }) => tdur > GOAL_MS * 1_000).length,
    what: what.join(', '),
  };
}

/** @param {{ tid: number, ts: number }} part @param {{ tid: number, ts: number, dur?: number }} whole */
function isWithin(part, whole) {
  return part.tid === whole.tid && part.ts >= whole.ts && part.ts < whole.ts + (whole.dur ?? 0);
}
