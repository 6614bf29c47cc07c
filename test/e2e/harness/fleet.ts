import { stderr } from 'node:process';
import {
  ApiClient,
  ledgerServer,
  liveMongo,
  liveRedis,
  processEnv,
  spawnProcess,
  type AppName,
  type LedgerServer,
  type ProcessServers,
  type SpawnedProcess,
  type SpawnOptions,
} from '@weft/testing';
import { afterAll, afterEach } from 'vitest';
import { founded } from '../../fixtures/founded.js';

/** One installation of real processes, with its own database and queue names, and an outside world that counts calls. */
export interface Fleet {
  readonly ledger: LedgerServer;
  /** The first admin at the first API process. */
  readonly admin: ApiClient;
  readonly servers: ProcessServers;
  /** Of one app, in order of their start; those that ended, too. */
  of(app: AppName): readonly SpawnedProcess[];
  /** The first of that app. */
  one(app: AppName): SpawnedProcess;
  /** One more process of that app. */
  add(
    app: AppName,
    options?: SpawnOptions & { readonly env?: Readonly<Record<string, string>> },
  ): Promise<SpawnedProcess>;
}

export interface FleetOptions {
  /** What starts at once, default one of each of the four. */
  readonly apps?: readonly AppName[];
  /** Separate servers (to be killed); by default those of the run, with separate names. */
  readonly servers?: { readonly mongodbUri?: string; readonly redisUrl?: string };
  /** Further settings for all processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the processes start on an empty database and create the installation themselves; default false. */
  readonly onEmptyDatabase?: boolean;
  /** How a process is started; default: from the checkout. */
  readonly spawn?: typeof spawnProcess;
}

const ALL: readonly AppName[] = ['api', 'worker', 'realtime', 'scheduler'];

const LINES_TOLD = 12;
const LINE_MAX = 400;

/** What helps when a test has failed: whether each process is alive, and its last errors. */
function complaintsOf(process: SpawnedProcess): string {
  const lines = process.output().split('\n');
  const told = lines.filter((line) => /"level":"(WARN|ERROR|FATAL)"/.test(line)).slice(-LINES_TOLD);
  const state = process.isRunning() ? 'runs' : 'has ended';
  return [`${process.app} at port ${process.port} ${state}`, ...told.map((line) => line.slice(0, LINE_MAX))].join(
    '\n  ',
  );
}

/** Starts an installation, and stops it after the file's last test. Call it at the top of a spec file. */
export async function startFleet({
  apps = ALL,
  servers: own = {},
  env = {},
  onEmptyDatabase = false,
  spawn = spawnProcess,
}: FleetOptions = {}): Promise<Fleet> {
  const mongo = liveMongo();
  const redis = liveRedis();
  const servers: ProcessServers = {
    mongodbUri: own.mongodbUri ?? mongo.uri,
    mongodbDb: mongo.db,
    redisUrl: own.redisUrl ?? redis.url,
    queuePrefix: redis.prefix,
  };
  const shared = { ...processEnv(servers), ...env };
  const ledger = await ledgerServer();
  const processes: SpawnedProcess[] = [];
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.stop()));
    await ledger.close();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') stderr.write(`${processes.map(complaintsOf).join('\n')}\n`);
  });
  const add: Fleet['add'] = async (app, { env: extra = {}, ...options } = {}) => {
    const started = await spawn(app, { ...shared, ...extra }, options);
    processes.push(started);
    return started;
  };
  const cookie = onEmptyDatabase ? null : await founded(servers);
  await Promise.all(apps.map((app) => add(app)));
  const of = (app: AppName): readonly SpawnedProcess[] => processes.filter((process) => process.app === app);
  const one = (app: AppName): SpawnedProcess => {
    const [first] = of(app);
    if (first === undefined) throw new Error(`This fleet has no ${app}`);
    return first;
  };
  const front = of('api')[0] ?? of('standalone')[0];
  if (front === undefined) throw new Error('A fleet needs an api, or a standalone app, to be talked to');
  const admin = cookie === null ? await new ApiClient(front.url).login() : new ApiClient(front.url, { cookie });
  return { ledger, admin, servers, of, one, add };
}
