// What the standalone app forks: `child-main.js <app>` runs that app's own main, and ends it when the standalone app has
// ended for any reason.

const MAINS = {
  worker: () => import('../../../worker/src/main.js'),
  scheduler: () => import('../../../scheduler/src/main.js'),
} as const;

const app = process.argv[2];
if (app !== 'worker' && app !== 'scheduler') throw new Error(`There is no app ${String(app)} to run as a child`);
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
await MAINS[app]();
