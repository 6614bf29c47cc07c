// @ts-check
// `npm run frames`: for how long the dashboard keeps its main thread busy at once, where it has most to do, on a processor that is
// four times slower. Of each longest task: processor time of the thread, which a busy machine does not change much, and time by the
// clock. `-- <part of a name>`: only these.
import { scenesOf, seed } from './frames/scenes.mjs';
import { GOAL_MS, worstOf } from './frames/tasks.mjs';
import { withOwnWeft } from './own-weft.mjs';
import { say } from './setup/say.mjs';
import { giveUp } from './setup/trouble.mjs';

const SLOWER = 4;
const WANTED = process.argv[2] ?? '';
const OVER = `over ${GOAL_MS} ms`;
const CATEGORIES = ['disabled-by-default-devtools.timeline', 'devtools.timeline', 'toplevel'];

try {
  await withOwnWeft(async ({ browser, context, send }) => {
    const scenes = scenesOf(await seed(send), send).filter(({ name }) => name.includes(WANTED));
    /** @type {Record<string, string | number>[]} */
    const rows = [];
    for (const scene of scenes) {
      const page = await context.newPage();
      await page.setViewportSize({ width: 1440, height: 900 });
      const devtools = await context.newCDPSession(page);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
      /** @param {string} part @param {() => Promise<unknown>} act */
      const watched = async (part, act) => {
        await browser.startTracing(page, { categories: CATEGORIES });
        await act();
        const { cpu, wall, over, what } = worstOf(JSON.parse(String(await browser.stopTracing())).traceEvents);
        rows.push({ scene: `${scene.name}, ${part}`, 'worst ms': cpu, 'by the clock': wall, [OVER]: over, what });
        say(`${scene.name}, ${part}: ${cpu} ms (${wall} by the clock)`);
      };
      await watched('opened', async () => {
        await page.goto(scene.path);
        await page.locator(scene.there).first().waitFor();
        await page.waitForLoadState('networkidle');
      });
      await watched('used', () => scene.work(page));
      await page.close();
    }
    console.table(rows);
  });
} catch (error) {
  giveUp(error);
}
