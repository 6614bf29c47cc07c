import type { FactoryProvider } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { CLOCK, type Clock } from '@weft/kernel';
import { LOG, Metrics, warnRarely } from '@weft/observability';
import { Mongo } from '@weft/store';
import { DestinationHealthRepository, DestinationRepository } from '@weft/records';
import { LiveWorkers } from '@weft/queue';
import { REDIS, type Redis } from '@weft/redis';
import type { Logger } from 'pino';
import { destinationBook } from './destination-book.js';
import { DestinationHealth } from './destination-health.js';
import { retryWhileUnavailable } from '../plays/store-retries.js';
import { WorkerState } from '../worker-state.js';
import { DestinationGate, type DestinationBook } from './destination-gate.js';
import { RateLimiter } from './rate-limiter.js';

/** What the gate reads and writes of destinations. */
export class DestinationStores {
  constructor(
    readonly mongo: Mongo,
    readonly destinations: DestinationRepository,
    readonly health: DestinationHealthRepository,
  ) {}
}

export const DESTINATION_STORES: FactoryProvider<DestinationStores> = {
  provide: DestinationStores,
  inject: [Mongo, DestinationRepository, DestinationHealthRepository],
  useFactory: (...stores: ConstructorParameters<typeof DestinationStores>) => new DestinationStores(...stores),
};

export const DESTINATION_GATE: FactoryProvider<DestinationGate> = {
  provide: DestinationGate,
  inject: [SETTINGS, REDIS, CLOCK, DestinationStores, LiveWorkers, WorkerState, Metrics, LOG],
  useFactory: (
    { queue }: Settings,
    redis: Redis,
    clock: Clock,
    { mongo, destinations, health: store }: DestinationStores,
    live: LiveWorkers,
    { bootId, closing }: WorkerState,
    metrics: Metrics,
    log: Logger,
  ) => {
    const monotonicMs = () => clock.monotonicMs();
    const limiter = new RateLimiter({ redis, prefix: queue.prefix, workers: () => live.count(), monotonicMs });
    const known = destinationBook(destinations, monotonicMs);
    // no call is made past a limit because MongoDB is unreachable for a moment
    const read = (companyId: string) => retryWhileUnavailable(async () => known.get(companyId), closing);
    const book: DestinationBook = {
      get: (companyId) => {
        const found = known.get(companyId);
        return found instanceof Promise ? found.catch(() => read(companyId)) : found;
      },
      readAgain: (companyId) => {
        known.drop(companyId);
        return read(companyId);
      },
    };
    const health = new DestinationHealth({
      ...{ store, worker: bootId, monotonicMs, serverNow: () => mongo.serverNow() },
      changed: (companyId) => known.drop(companyId),
      onMove: (to) => metrics.destinationMoved(to),
      onProbe: (succeeded) => metrics.destinationProbed(succeeded),
      onFault: warnRarely(log, 'destinations', 'could not write that calls to a destination fail, or succeed again'),
    });
    const gate = new DestinationGate(book, limiter, health);
    metrics.beforeRead(() => metrics.destinationCallsWaiting(gate.waiting));
    return gate;
  },
};
