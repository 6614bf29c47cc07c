import 'reflect-metadata';
import { hostname } from 'node:os';
import { inspect } from 'node:util';

import { Logger as NestLogger, Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SettingsError, processSettings, type Settings } from '@weft/config';
import { HealthService, Metrics, openLog, openTracing, warnRarely, type Log } from '@weft/observability';
import { RunningProcesses, RunTimeSettings } from '@weft/records';
import { BusSeal, InvalidationBus, LayerTries, PlayNotices, PlayProgress, PlaySignals } from '@weft/realtime-bus';
import { watchErrors } from '@weft/redis';
import { Logger } from 'nestjs-pino';

import { BalancerWatch } from './balancer-watch.js';
import { closeServer } from './close-server.js';
import { followRunTime } from './follow-run-time.js';
import { HostModule, type HostValues } from './host.module.js';
import { addHttpHooks, createAdapter } from './http-server.js';
import { openCache } from './open-cache.js';
import {
  adviseOnRedis,
  assertSuitableRedis,
  firstContact,
  openMongo,
  openRedisConnections,
  untilReached,
} from './open-stores.js';
import { lastWords } from './last-words.js';
import { keepHeapLean } from './lean-heap.js';
import { nestLog } from './nest-log.js';
import { BootError, type BootContext, type ProcessOptions, type RunningProcess } from './process-options.js';
import { ServiceFilter } from './service-filter.js';
import { addServiceRoutes } from './service-routes.js';
import { stopProcess } from './stop-process.js';
import { mongoChecks, provisionedCheck, redisCheck, redisPolicyCheck } from './store-checks.js';
import { supervise } from './supervise.js';
import { processIds, productVersion, systemClock } from './system.js';
import { watchDescriptors } from './watch-descriptors.js';
import { watchMongo } from './watch-mongo.js';

/**
 * Starts a process of the product: settings, log, stores, boot tasks, Nest on Fastify with `/health` and `/metrics`, and
 * listens. When it resolves, the process serves. A failure ends the process with one sentence and exit code
 * 1, or rejects with a `BootError` where `embedded` is set.
 */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  if (options.embedded) return boot(options);
  try {
    return await boot(options);
  } catch (error) {
    const message =
      error instanceof BootError ? error.message : `Weft ${options.name} cannot start.\n${inspect(error)}`;
    lastWords('FATAL', options.name, message);
    process.exit(1);
  }
}

async function boot(options: ProcessOptions): Promise<RunningProcess> {
  keepHeapLean();
  const settings = options.settings ?? readSettings(options.name === 'standalone');
  const metrics = new Metrics();
  const log = openProcessLog(options, settings, metrics);
  const opened: (() => unknown)[] = [watchDescriptors(log.pino), () => metrics.close(), () => log.close()];
  try {
    const values = await openValues(options, settings, metrics, log, opened);
    const balancers = new BalancerWatch();
    const app = await createApp(options, values, balancers);
    const port = await listen(app, settings).catch(async (error: unknown) => {
      await closeServer(app);
      throw error;
    });
    log.pino.info({ component: options.name, port, version: productVersion() }, 'ready');
    const { health } = values;
    const close = (): Promise<void> => closeAll(opened);
    const stop = once(() => stopProcess({ name: options.name, app, settings, health, balancers, log, close }));
    if (!options.embedded) supervise(log.pino, stop);
    return { app, settings, port, stop };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/** How often what hardly ever changes is checked: how Redis is set up, and whether large outputs can be read. */
const RARELY_MS = 30_000;

/** Opens what every process has, and prepends it to `opened`, which is closed in that order. */
async function openValues(
  options: ProcessOptions,
  settings: Settings,
  metrics: Metrics,
  log: Log,
  opened: (() => unknown)[],
): Promise<HostValues> {
  const { name } = options;
  const clock = systemClock();
  const newId = processIds(clock);
  const storeLog = log.pino.child({ component: 'mongo' });

  const { commands, channels } = openRedisConnections(settings, name);
  const lastError = watchErrors(commands); // from the first connection on, to learn why it fails
  opened.unshift(
    () => channels.close(),
    () => commands.disconnect(),
  );
  const redisHealth = redisCheck(commands, settings, name, lastError);
  adviseOnRedis(commands, log.pino.child({ component: 'redis' }));

  const mongo = await openMongo(settings, name, storeLog);
  opened.unshift(() => mongo.close());
  watchMongo(mongo, metrics, storeLog);
  await firstContact(commands);
  await assertSuitableRedis(commands, lastError());
  await runBootTasks(options, { settings, mongo, clock, newId, log: log.pino });

  const healthLog = log.pino.child({ component: 'health' });
  const health = new HealthService({
    version: productVersion(),
    loadedAt: settings.loadedAt,
    onChange: (part, { status, error }, { fatal }) => {
      const consequence = fatal ? 'this process cannot do its work' : 'this process goes on without it';
      if (status === 'healthy') healthLog.info({ part }, `${part} is healthy again`);
      else healthLog.warn({ part, error }, `${part} is unhealthy: ${consequence}`);
    },
  });
  const replica = newId();
  const sign = {
    id: replica,
    name,
    version: productVersion(),
    host: hostname(),
    startedAt: new Date(mongo.serverNow()),
  };
  const ofMongo = mongoChecks(mongo, sign);
  health.add(ofMongo.database, { part: 'database', fatal: true });
  health.add(redisHealth, { part: 'queue', fatal: options.needs.queue });
  health.add(redisPolicyCheck(commands), { part: 'queue', fatal: false, everyMs: RARELY_MS });
  health.add(ofMongo.storage, { part: 'storage', fatal: false, everyMs: RARELY_MS });
  if (options.needs.admin) health.add(provisionedCheck(mongo), { part: 'database', fatal: true });
  metrics.buildInfo(productVersion());
  metrics.beforeRead(() => metrics.health(health.parts()));
  metrics.beforeRead(() => metrics.clockOffset((Date.now() - mongo.serverNow()) / 1_000));
  opened.unshift(() => new RunningProcesses(mongo).leave(replica));
  opened.unshift(() => health.stop());

  const tracing = await openTracing({
    ...settings.tracing,
    service: { name: `weft-${name}`, version: productVersion(), instance: newId() },
    onTrouble: warnRarely(log.pino, 'tracing', 'the collector did not take a batch of spans'),
    onDropped: (spans) => metrics.spansDropped(spans),
  });
  opened.unshift(() => tracing.close());

  const { prefix } = settings.queue;
  const seal = new BusSeal(settings.secrets, clock);
  const invalidations = new InvalidationBus(commands, channels, prefix, replica);
  const { cache, stop: stopEvicting } = openCache(settings, clock, metrics, invalidations);
  opened.unshift(stopEvicting);
  const runTime = new RunTimeSettings(mongo, settings);
  opened.unshift(await followRunTime(runTime, invalidations, log));
  return {
    settings,
    runTime,
    clock,
    newId,
    mongo,
    cache,
    redis: commands,
    metrics,
    health,
    tracing,
    log,
    invalidations,
    notices: new PlayNotices(commands, channels, prefix, seal, {
      onPublished: (count) => metrics.noticesPublished(count),
      onDropped: (count) => metrics.noticesDropped(count),
    }),
    progress: new PlayProgress(commands, channels, prefix, seal),
    signals: new PlaySignals(commands, channels, prefix),
    tries: new LayerTries(commands, channels, prefix, seal, replica, newId),
  };
}

async function runBootTasks(options: ProcessOptions, context: BootContext): Promise<void> {
  for (const task of options.bootTasks ?? []) {
    try {
      await untilReached(context.log.child({ component: 'mongo' }), () => task.run(context));
    } catch (error) {
      throw new BootError(`Could not ${task.name}: ${(error as Error).message}`, { cause: error });
    }
  }
}

@Module({})
class ProcessModule {
  static compose(options: ProcessOptions, values: HostValues): DynamicModule {
    return { module: ProcessModule, imports: [HostModule.forRoot(values), options.module] };
  }
}

async function createApp(
  options: ProcessOptions,
  values: HostValues,
  balancers: BalancerWatch,
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    ProcessModule.compose(options, values),
    (options.adapter ?? createAdapter)(values),
    { abortOnError: false, bufferLogs: true },
  );
  app.useLogger(nestLog(app.get(Logger)));
  NestLogger.flush();
  const server = app.getHttpAdapter().getInstance();
  addHttpHooks(server, {
    log: values.log.pino,
    metrics: values.metrics,
    health: values.health,
    tracing: values.tracing,
  });
  addServiceRoutes(server, values, balancers);
  if (!options.adapter) app.useGlobalFilters(new ServiceFilter());
  await options.beforeListen?.(app);
  await values.health.start();
  await untilReached(values.log.pino.child({ component: 'mongo' }), () => values.mongo.hearClock());
  return app;
}

async function listen(app: NestFastifyApplication, { server }: Settings): Promise<number> {
  await app.init();
  try {
    // Not app.listen: Nest would log an additional error line.
    await app.getHttpAdapter().getInstance().listen({ port: server.port, host: server.host });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy = LISTEN_FAULTS[code ?? ''];
    if (!remedy) throw error;
    throw new BootError(remedy(server), { cause: error });
  }
  const address = app.getHttpServer().address();
  return typeof address === 'object' && address !== null ? address.port : server.port;
}

const LISTEN_FAULTS: Record<string, (server: Settings['server']) => string> = {
  EADDRINUSE: ({ port }) => `Port ${port} is taken by another program. Stop it, or set SERVER_PORT to a free port.`,
  EACCES: ({ port }) => `This user may not listen on port ${port}. Set SERVER_PORT to a port above 1023.`,
  EADDRNOTAVAIL: ({ host }) => `This machine has no address ${host}. Correct SERVER_HOST.`,
  ENOTFOUND: ({ host }) => `The name ${host} is not known here. Correct SERVER_HOST.`,
};

function readSettings(standalone: boolean): Settings {
  try {
    return processSettings({ standalone });
  } catch (error) {
    if (error instanceof SettingsError) throw new BootError(error.message, { cause: error });
    throw error;
  }
}

function openProcessLog(options: ProcessOptions, settings: Settings, metrics: Metrics): Log {
  const { level, ...rotation } = settings.logging;
  // Replicas may share the data folder, and two processes must not write one file: on one machine, a port belongs to one process.
  const own = `${hostname()}-${settings.server.port || process.pid}`;
  return openLog({
    level,
    file: { folder: `${settings.dataDir}/logs`, name: `weft-${options.name}-${own}`, ...rotation },
    onDropped: () => metrics.logLineDropped(),
    out: options.logOut,
  });
}

async function closeAll(opened: readonly (() => unknown)[]): Promise<void> {
  for (const close of opened) {
    try {
      await close();
    } catch (error) {
      lastWords('ERROR', 'process', `closing: ${String(error)}`);
    }
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}
