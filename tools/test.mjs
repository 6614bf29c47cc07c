// `npm test [-- <vitest arguments>]`: sets the checkout up, provides MongoDB and Redis for this run alone (or takes those
// of MONGODB_URI and REDIS_URL), runs every vitest project, cleans up. Last line: `N passed, N failed`.
import { become } from './setup/run.mjs';
import { NODE24, ROOT, inRoot, runEnv } from './setup/root.mjs';
import { say, step } from './setup/say.mjs';
import { setUp } from './setup/set-up.mjs';
import { explain } from './setup/trouble.mjs';
import { abandonRun, openRun, sweepAbandonedRuns } from './test-run.mjs';

const INTERRUPTED = 130;

try {
  await setUp();
  process.exit(await runTests(process.argv.slice(2)));
} catch (error) {
  explain(error);
  console.log('0 passed, 1 failed');
  process.exit(1);
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
async function runTests(args) {
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (interrupted = true));
  // Not at the top: it needs what the set-up installs.
  const { provideServers } = await import('./servers/index.mjs');
  await sweepAbandonedRuns();
  const folder = await openRun();
  try {
    const provide = () => provideServers({ folder, env: process.env, log: say });
    const servers = await step('providing MongoDB and Redis for this run', provide);
    try {
      if (interrupted) return INTERRUPTED;
      const env = {
        ...runEnv(),
        WEFT_TEST_MONGODB_URI: servers.mongodbUri,
        WEFT_TEST_REDIS_URL: servers.redisUrl,
        WEFT_TEST_DIR: folder,
      };
      const vitest = inRoot('node_modules', 'vitest', 'vitest.mjs');
      const code = await become(NODE24, [vitest, 'run', ...args], { cwd: ROOT, env });
      return interrupted ? INTERRUPTED : code;
    } finally {
      await servers.stop();
    }
  } finally {
    await abandonRun(folder);
  }
}
