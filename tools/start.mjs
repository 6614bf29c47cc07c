// `npm start`: sets the checkout up, then runs the standalone app on the product's own Node 24 until Ctrl-C.
import { endWithNpm } from './setup/end-with-npm.mjs';
import { become } from './setup/run.mjs';
import { NODE24, NODE_FLAGS, inRoot, runEnv } from './setup/root.mjs';
import { setUp } from './setup/set-up.mjs';
import { giveUp } from './setup/trouble.mjs';

endWithNpm();
try {
  await setUp();
  const main = inRoot('dist', 'apps', 'standalone', 'src', 'main.js');
  const code = await become(NODE24, [...NODE_FLAGS, main, ...process.argv.slice(2)], {
    env: runEnv(),
    tethered: true,
  });
  // Users stop it with Ctrl-C: npm must not report that as an error.
  process.exit(code === 130 || code === 143 ? 0 : code);
} catch (error) {
  giveUp(error);
}
