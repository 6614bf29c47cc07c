import type { Metrics } from '@weft/observability';
import { SOCKET_TIMEOUT_MS, type Mongo } from '@weft/store';
import type { Logger } from 'pino';

const SLOW_MS = 500;
const LOOK_EVERY_MS = 5_000;
/** Looks are counted, and not the time between them: in that the process may have stood still. */
const STUCK_AFTER_LOOKS = Math.ceil(SOCKET_TIMEOUT_MS / LOOK_EVERY_MS) + 2;

/** It takes as long as MongoDB needs for it: without a limit of the driver. */
const BUILDS = 'createIndexes';
/** Operations that a first start and an upgrade wait for: as slow as the disk and the data, and not a fault. */
const MAKES: ReadonlySet<string> = new Set(['create', BUILDS]);

/** Between two lines about an index that is being built. */
const TELL_BUILD_EVERY_MS = 30_000;

interface Running {
  readonly operation: string;
  readonly collection: string;
  readonly startedAt: number;
  /** How often it was seen under way. */
  looks: number;
}

/**
 * Counts operations and pool connections, and logs operations of 500 ms and more (docs/operator-contract.md §5).
 *
 * @param onStuck called with a command that is older than the driver's limits allow. Its caller (a reconciler, a cache) would
 * wait for ever, so by default it is an unhandled error: the process ends, another one takes over
 */
export function watchMongo(mongo: Mongo, metrics: Metrics, log: Logger, onStuck: OnStuck = endProcess): void {
  const client = mongo.connection.getClient();
  watchPool(client, metrics);

  // Timed here because the driver reports whole milliseconds only.
  const running = new Map<number, Running>();
  client.on('commandStarted', ({ requestId, commandName, command }) => {
    const collection = collectionOf(commandName, command);
    if (collection !== undefined) {
      running.set(requestId, { operation: commandName, collection, startedAt: performance.now(), looks: 0 });
    }
  });
  const ended = (event: { readonly requestId: number; readonly commandName: string }, hasFailed: boolean): void => {
    const operation = running.get(event.requestId);
    if (!operation) return;
    running.delete(event.requestId);
    const ms = performance.now() - operation.startedAt;
    metrics.mongoOperation(operation.collection, event.commandName, ms / 1_000);
    if (ms < SLOW_MS) return;
    const fields = { collection: operation.collection, operation: event.commandName, duration_ms: Math.round(ms) };
    if (!MAKES.has(event.commandName)) log.warn(fields, 'slow MongoDB operation');
    else if (!hasFailed) log.info(fields, 'MongoDB made a collection or its indexes');
  };
  client.on('commandSucceeded', (event) => ended(event, false));
  client.on('commandFailed', (event) => ended(event, true));

  const looking = setInterval(() => {
    for (const operation of running.values()) {
      operation.looks += 1;
      if (operation.looks >= STUCK_AFTER_LOOKS && operation.operation !== BUILDS) onStuck(operation.collection);
    }
  }, LOOK_EVERY_MS).unref();
  const telling = setInterval(() => {
    for (const { operation, collection, startedAt } of running.values()) {
      if (operation === BUILDS) void tellBuild(client, log, collection, performance.now() - startedAt);
    }
  }, TELL_BUILD_EVERY_MS).unref();
  client.on('close', () => {
    clearInterval(looking);
    clearInterval(telling);
  });
}

/** How far a build is says MongoDB only to a user with the right `inprog` (role `clusterMonitor`). */
async function tellBuild(client: Client, log: Logger, collection: string, forMs: number): Promise<void> {
  const builds = [
    { $currentOp: { allUsers: true } },
    { $match: { msg: /^Index Build/, ns: new RegExp(`\\.${collection}$`) } },
  ];
  const found = await client
    .db('admin')
    .aggregate<{ readonly msg: string }>(builds)
    .toArray()
    .catch(() => []);
  const fields = {
    collection,
    duration_ms: Math.round(forMs),
    progress: found
      .map(({ msg }) => msg)
      .toSorted()
      .at(-1),
  };
  log.info(fields, 'MongoDB is building indexes: this process starts when they are there');
}

type Client = ReturnType<Mongo['connection']['getClient']>;
type OnStuck = (collection: string) => void;

function endProcess(collection: string): void {
  throw new Error(`the driver of MongoDB never answered a command on ${collection}`);
}

function watchPool(client: Client, metrics: Metrics): void {
  let open = client.listenerCount('connectionCreated') === 0 ? 1 : 0;
  let inUse = 0;
  client.on('connectionCreated', () => (open += 1));
  client.on('connectionClosed', () => (open -= 1));
  client.on('connectionCheckedOut', () => (inUse += 1));
  client.on('connectionCheckedIn', () => (inUse -= 1));
  metrics.beforeRead(() => metrics.mongoPool(Math.max(0, open), Math.max(0, inUse)));
}

/** The collection of a command; undefined for commands without one (hello, ping, commitTransaction). */
function collectionOf(name: string, command: Record<string, unknown>): string | undefined {
  const target = name === 'getMore' ? command.collection : command[name];
  return typeof target === 'string' ? target : undefined;
}
