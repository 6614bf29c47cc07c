import thisWorker from 'node:process';
import {
  ApiClient,
  joinProcess,
  ledgerServer,
  liveMongo,
  liveRedis,
  processEnv,
  spawnProcess,
  TEST_ADMIN,
  type AppName,
  type LedgerServer,
  type ProcessServers,
  type SpawnedProcess,
  type SpawnOptions,
} from '@weft/testing';
import { afterAll, afterEach } from 'vitest';
import { founded, foundedCompany } from '../../fixtures/founded.js';
import { sharedInstallation, type SharedKind } from './shared-installation.js';

/** One installation of real processes, with its own database and queue names, and an outside world that counts calls. */
export interface Fleet {
  readonly ledger: LedgerServer;
  /** The first admin at the first API process. */
  readonly admin: ApiClient;
  /** What the admin signs in with. */
  readonly login: { readonly email: string; readonly password: string };
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
  const installation: Installation = { servers, env: { ...processEnv(servers), ...env }, spawn, processes: [] };
  const ledger = await ledgerOfFile();
  afterAll(() => stopAll(installation.processes));
  const cookie = onEmptyDatabase ? null : await founded(servers);
  const starts = await Promise.allSettled(apps.map((app) => addTo(installation, app)));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed) {
    // vitest runs no hook of a file that it could not load
    await stopAll(installation.processes);
    throw failed.reason;
  }
  return fleetOf(installation, { ledger, cookie, login: TEST_ADMIN });
}

/**
 * The installation of that kind that the workers of this run share, in a company of the spec file's own, whose admin is an operator,
 * too. Other files use its processes at the same time: a file stops only those that it has added, which otherwise stop after its last
 * test. Call it at the top of a spec file.
 */
export async function sharedFleet(kind: SharedKind = 'plain'): Promise<Fleet> {
  const shared = sharedInstallation(kind);
  const { servers, env, processes } = await shared.enter();
  afterAll(() => shared.leave());
  const installation: Installation = { servers, env, spawn: spawnProcess, processes: processes.map(joinProcess) };
  const common = new Set(installation.processes);
  const ledger = await ledgerOfFile();
  afterAll(() => stopAll(installation.processes.filter((process) => !common.has(process))));
  return fleetOf(installation, { ledger, ...(await foundedCompany(servers)) });
}

interface Installation {
  readonly servers: ProcessServers;
  /** What all its processes are given. */
  readonly env: Readonly<Record<string, string>>;
  readonly spawn: typeof spawnProcess;
  /** In order of their start. */
  readonly processes: SpawnedProcess[];
}

async function addTo(
  { env, spawn, processes }: Installation,
  app: AppName,
  { env: extra = {}, ...options }: Parameters<Fleet['add']>[1] = {},
): Promise<SpawnedProcess> {
  const started = await spawn(app, { ...env, ...extra }, options);
  processes.push(started);
  return started;
}

async function stopAll(processes: readonly SpawnedProcess[]): Promise<void> {
  await Promise.all(processes.map((process) => process.stop()));
}

async function ledgerOfFile(): Promise<LedgerServer> {
  const ledger = await ledgerServer();
  afterAll(() => ledger.close());
  return ledger;
}

async function fleetOf(
  installation: Installation,
  { ledger, cookie, login }: Pick<Fleet, 'ledger' | 'login'> & { readonly cookie: string | null },
): Promise<Fleet> {
  const { servers, processes } = installation;
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') thisWorker.stderr.write(`${processes.map(complaintsOf).join('\n')}\n`);
  });
  const of = (app: AppName): readonly SpawnedProcess[] => processes.filter((process) => process.app === app);
  const one = (app: AppName): SpawnedProcess => {
    const [first] = of(app);
    if (first === undefined) throw new Error(`This fleet has no ${app}`);
    return first;
  };
  const front = of('api')[0] ?? of('standalone')[0];
  if (front === undefined) throw new Error('A fleet needs an api, or a standalone app, to be talked to');
  const admin = cookie === null ? await new ApiClient(front.url).login(login) : new ApiClient(front.url, { cookie });
  return { ledger, admin, login, servers, of, one, add: (app, options) => addTo(installation, app, options) };
}
