const LOOK_EVERY_MS = 500;

/**
 * Asks this process to stop, as SIGTERM does, when the npm that started it is gone: npm does not pass every signal on, and none
 * that kills it. Started without npm, it may outlive who started it.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(looking);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS);
  looking.unref();
}
