// @ts-check
// What `npm run frames` measures: where the dashboard has most to do.
const PLAYS = 10_000;
const A_SECOND = 100;
const LAYERS = 500;
/** Playwright does not look, in a task of the page, at what is under the pointer. */
const NO_LOOK = { force: true };

/** @typedef {import('../own-weft.mjs').OwnWeft['send']} Send */
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ readonly name: string, readonly path: string, readonly there: string, readonly work: (page: Page) => Promise<void> }} Scene */
/** Ids. @typedef {{ readonly short: string, readonly long: string, readonly longPlay: string, readonly largePlay: string }} Seed */

/**
 * Makes the flows and plays of the scenes.
 * @param {Send} send
 * @returns {Promise<Seed>}
 */
export async function seed(send) {
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
  for (let i = 0; i < PLAYS; i += 1_000) await batch(send, short, 1_000);
  const playOf = async (/** @type {string} */ id) => {
    const { body } = await send('POST', `/api/v1/flows/${id}/run`, { args: {}, wait: 30_000 });
    return body.playId;
  };
  const [longPlay, largePlay] = [await playOf(long), await playOf(large)];
  await ended(send);
  return { short, long, longPlay, largePlay };
}

/**
 * @param {Seed} seed
 * @param {Send} send
 * @returns {readonly Scene[]}
 */
export function scenesOf({ short, long, longPlay, largePlay }, send) {
  return [
    { name: `${PLAYS} rows of plays, to the last`, path: '/plays', there: '[data-play]', work: scrollDown },
    {
      ...{ name: `${A_SECOND} plays a second, followed`, path: '/plays', there: '[data-play]' },
      work: async (page) => {
        await page.locator('[role=switch]').check(NO_LOOK);
        for (let second = 0; second < 15; second++) {
          const at = Date.now();
          await batch(send, short, A_SECOND);
          await page.waitForTimeout(Math.max(0, 1_000 - (Date.now() - at)));
        }
      },
    },
    {
      ...{ name: `a flow of ${LAYERS} layers, edited`, path: `/flows/${long}`, there: '[data-layer]' },
      work: async (page) => {
        await page.locator('[data-path=name] input').first().focus();
        await page.keyboard.type(' renamed', { delay: 60 });
        await page.locator('[role=toolbar] button').first().click(NO_LOOK);
        await page.keyboard.type('filter', { delay: 60 });
        await page.keyboard.press('Escape');
        await scrollDown(page);
      },
    },
    {
      ...{ name: `dialogs over ${LAYERS} layers`, path: `/flows/${long}`, there: '[data-layer]' },
      work: async (page) => {
        for (const name of ['Run …', 'Add a layer']) {
          await page.getByRole('button', { name }).click(NO_LOOK);
          await page.getByRole('dialog').waitFor();
          await page.waitForTimeout(1_000);
          if (name === 'Run …') await page.keyboard.press('Escape');
        }
        await page.keyboard.press('Enter');
        await page.waitForTimeout(1_000);
        await page.locator('[data-choose]').nth(3).click(NO_LOOK);
        await page.waitForTimeout(1_000);
      },
    },
    {
      ...{ name: 'pages, one after the other', path: `/flows/${long}`, there: '[data-layer]' },
      work: async (page) => {
        for (const [path, there] of [
          ['/plays', '[data-play]'],
          ['/flows', `main a[href="/flows/${long}"]`],
          [`/flows/${long}`, '[data-layer]'],
          ['/overview', 'main [role=region]'],
        ]) {
          await page.locator(`a[href="${path}"]`).first().click(NO_LOOK);
          await page.locator(String(there)).first().waitFor();
          await page.waitForTimeout(1_500);
        }
      },
    },
    {
      ...{ name: `a play of ${LAYERS} layers`, path: `/plays/${longPlay}`, there: '[role=option]' },
      work: async (page) => {
        for (const ref of ['layer7', 'layer20']) await page.locator(`[data-timeline] [data-ref=${ref}]`).click(NO_LOOK);
        await scrollDown(page);
      },
    },
    {
      ...{ name: 'an output of 5 MB', path: `/plays/${largePlay}`, there: '[role=option]' },
      work: async (page) => {
        await page.getByRole('button', { name: 'Show its beginning' }).click(NO_LOOK);
        await page.waitForLoadState('networkidle');
        await page.locator('[role=group] button[aria-expanded=false]').first().click(NO_LOOK);
        await page.locator('input[aria-label^="Search in"]').pressSequentially('name', { delay: 60 });
        await page.waitForTimeout(1_000);
        await scrollDown(page);
      },
    },
  ];
}

/** @param {Send} send @param {string} flow @param {number} count */
function batch(send, flow, count) {
  return send('POST', `/api/v1/flows/${flow}/run-batch`, {
    runs: Array.from({ length: count }, (_, i) => ({ args: { i } })),
  });
}

/** @param {Send} send */
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
