import type { Metrics } from '@weft/observability';
import type { Mongo } from '@weft/persistence';
import type { Logger } from 'pino';

const SLOW_MS = 500;

interface Running {
  readonly collection: string;
  readonly startedAt: number;
}

/** Counts operations and pool connections, and logs operations of 500 ms and more (specification §8). */
export function watchMongo(mongo: Mongo, metrics: Metrics, log: Logger): void {
  const client = mongo.connection.getClient();
  watchPool(client, metrics);

  // Timed here because the driver gives whole milliseconds only.
  const running = new Map<number, Running>();
  client.on('commandStarted', ({ requestId, commandName, command }) => {
    const collection = collectionOf(commandName, command);
    if (collection !== undefined) running.set(requestId, { collection, startedAt: performance.now() });
  });
  const ended = (event: { readonly requestId: number; readonly commandName: string }): void => {
    const operation = running.get(event.requestId);
    if (!operation) return;
    running.delete(event.requestId);
    const ms = performance.now() - operation.startedAt;
    metrics.mongoOperation(operation.collection, event.commandName, ms / 1_000);
    if (ms >= SLOW_MS) {
      const { collection } = operation;
      log.warn({ collection, operation: event.commandName, duration_ms: Math.round(ms) }, 'slow MongoDB operation');
    }
  };
  client.on('commandSucceeded', ended);
  client.on('commandFailed', ended);
}

function watchPool(client: ReturnType<Mongo['connection']['getClient']>, metrics: Metrics): void {
  let open = client.listenerCount('connectionCreated') === 0 ? 1 : 0;
  let inUse = 0;
  client.on('connectionCreated', () => (open += 1));
  client.on('connectionClosed', () => (open -= 1));
  client.on('connectionCheckedOut', () => (inUse += 1));
  client.on('connectionCheckedIn', () => (inUse -= 1));
  metrics.beforeRead(() => metrics.mongoPool(Math.max(0, open), Math.max(0, inUse)));
}

/** What a command works on; undefined for those that work on no collection (hello, ping, commitTransaction). */
function collectionOf(name: string, command: Record<string, unknown>): string | undefined {
  const target = name === 'getMore' ? command.collection : command[name];
  return typeof target === 'string' ? target : undefined;
}
