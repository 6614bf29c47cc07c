// @ts-check
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { freePort } from '../../../tools/servers/ports.mjs';
import { nodeFlagsOf } from '../../../tools/setup/root.mjs';
import { prepareFlow } from './prepare-flow.mjs';

const ROOT = new URL('../../../', import.meta.url).pathname;
/** Signs in to each installation of the bench. */
export const ADMIN = { email: 'admin@bench.example', password: `Bench ${randomBytes(12).toString('hex')}` };

/**
 * The product as deployed: api, worker and scheduler from `dist/`, each a process, with settings from the environment.
 * @param {import('./system.mjs').SystemContext} context
 * @param {import('../the-play.mjs').Caller} [caller]
 * @returns {Promise<import('./system.mjs').RunningSystem & {
 *   startGateways: (count: number) => Promise<{ origin: string, pid: number }[]>,
 *   launch: (app: string, name?: string, withinMs?: number) => Promise<string>,
 *   halt: (name: string) => Promise<void>,
 * }>} `launch` starts a further process, or one again that was halted, and returns its origin
 */
export async function startProduct(context, caller) {
  const { processes, profiling, label } = context;
  const secrets = {
    ENC_KEY_SECRET: randomBytes(32).toString('hex'),
    ENV_KEY_SALT: randomBytes(32).toString('hex'),
  };
  /** @type {Record<string, import('../machine/processes.mjs').Started>} */
  const started = {};

  let workers = 0;
  /** The first is `worker`, as everywhere. */
  const nextWorker = () => ((workers += 1), workers === 1 ? 'worker' : `worker-${workers}`);

  /** @param {string} app @param {string} [name] of this process @param {number} [withinMs] @returns {Promise<string>} its origin */
  async function launch(app, name = app, withinMs = undefined) {
    const port = await freePort();
    const dataDir = join(context.folder, `${label}-${name}`);
    await mkdir(dataDir, { recursive: true });
    const hook = profiling.hook(app, `${label}-${name}`);
    const main = join(context.root ?? ROOT, 'dist', 'apps', app, 'src', 'main.js');
    const args = [...hook.args, ...nodeFlagsOf(app), ...(context.nodeFlags ?? []), main];
    const origin = `http://127.0.0.1:${port}`;
    started[name] = await processes.start(`${label}-${name}`, process.execPath, args, {
      env: {
        NODE_ENV: 'production',
        SERVER_PORT: String(port),
        MONGODB_URI: context.mongodbUri,
        MONGODB_DB: context.db,
        REDIS_URL: context.redisUrl,
        QUEUE_PREFIX: context.prefix,
        ...secrets,
        EGRESS_ALLOW: '127.0.0.1/32',
        WEFT_ADMIN_EMAIL: ADMIN.email,
        WEFT_ADMIN_PASSWORD: ADMIN.password,
        WEFT_DATA_DIR: dataDir,
        LOG_LEVEL: 'info',
        ...context.env,
        ...hook.env,
      },
      isReady: () => isHealthy(origin),
      ...(withinMs !== undefined && { withinMs }),
    });
    profiling.track(started[name].pid, hook.file);
    return origin;
  }

  const origin = await launch('api');
  await launch('scheduler');
  const { flowId, token } = await prepareFlow(origin, ADMIN, context.targetOrigin, context.webhooks, caller);
  return {
    request: { origin, path: `/api/v1/flows/${flowId}/run`, headers: { authorization: `Bearer ${token}` } },
    processes: started,
    startWorker: async () => void (await launch('worker', nextWorker())),
    launch,
    async halt(name) {
      const halted = started[name];
      delete started[name];
      if (halted) await processes.stop(halted);
    },
    async startGateways(count) {
      const gateways = [];
      for (let i = 0; i < count; i += 1) {
        const origin = await launch('realtime', `realtime-${i}`);
        gateways.push({ origin, pid: started[`realtime-${i}`]?.pid ?? 0 });
      }
      return gateways;
    },
    async stop() {
      for (const process of Object.values(started).reverse()) await processes.stop(process);
    },
  };
}

/** @param {string} origin */
async function isHealthy(origin) {
  try {
    const { statusCode, body } = await request(`${origin}/health`, { headersTimeout: 2_000 });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false; // not listening yet
  }
}
