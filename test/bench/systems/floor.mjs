// @ts-check
import { freePort } from '../../../tools/servers/ports.mjs';

const FLOW_ID = '00benchfloorflow0000';

/**
 * The floor: two processes, as fast as we could write them. The same interface as `startProduct`.
 * @param {import('./system.mjs').SystemContext} context
 * @param {number} playsPerJob the most plays that share a job
 * @returns {Promise<import('./system.mjs').RunningSystem>}
 */
export async function startFloor(context, playsPerJob) {
  const { processes, profiling, label } = context;
  const port = await freePort();
  const env = {
    SERVER_PORT: String(port),
    MONGODB_URI: context.mongodbUri,
    MONGODB_DB: context.db,
    REDIS_URL: context.redisUrl,
    QUEUE_PREFIX: context.prefix,
    TARGET_ORIGIN: context.targetOrigin,
    PLAYS_PER_JOB: String(playsPerJob),
  };
  /** @type {Record<string, import('../machine/processes.mjs').Started>} */
  const started = {};

  /** @param {string} name */
  async function launch(name) {
    const hook = profiling.hook(name, label);
    const file = new URL(`../floor/${name}.mjs`, import.meta.url);
    started[name] = await processes.fork(`${label}-${name}`, file, { ...env, ...hook.env }, hook.args);
    profiling.track(started[name].pid, hook.file);
  }

  await launch('api');
  return {
    request: { origin: `http://127.0.0.1:${port}`, path: `/api/v1/flows/${FLOW_ID}/run`, headers: {} },
    processes: started,
    startWorker: () => launch('worker'),
    async stop() {
      for (const name of ['worker', 'api']) if (started[name]) await processes.stop(started[name]);
    },
  };
}
