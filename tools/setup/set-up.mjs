import { build, isBuilt } from './build.mjs';
import { checkNode, install, isInstalled } from './install.mjs';
import { withLock } from './lock.mjs';
import { inRoot } from './root.mjs';
import { say } from './say.mjs';

/**
 * Brings the checkout to where it can run: packages installed, sources built. Nothing is done twice.
 * @param {{ buildToo?: boolean }} [options]
 */
export async function setUp({ buildToo = true } = {}) {
  checkNode();
  if (isInstalled() && (!buildToo || isBuilt())) return;
  await withLock(inRoot('.weft-setup.lock'), say, async () => {
    if (!isInstalled()) await install();
    if (buildToo && !isBuilt()) await build();
  });
}
