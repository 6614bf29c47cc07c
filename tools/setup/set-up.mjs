import { build, isBuilt } from './build.mjs';
import { checkNode, install, isInstalled } from './install.mjs';
import { withLock } from './lock.mjs';
import { inRoot } from './root.mjs';
import { say } from './say.mjs';

/**
 * Makes the checkout ready to run: installs packages and builds sources, each only when needed.
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
