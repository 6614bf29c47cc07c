import type { FactoryProvider } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { CLOCK, type Clock } from '@weft/kernel';
import { DestinationRepository } from '@weft/persistence';
import { LiveWorkers } from '@weft/queue';
import { REDIS, type Redis } from '@weft/redis';
import { destinationBook } from './destination-book.js';
import { retryWhileUnavailable } from '../plays/store-retries.js';
import { WorkerState } from '../worker-state.js';
import { DestinationGate, type DestinationBook } from './destination-gate.js';
import { RateLimiter } from './rate-limiter.js';

export const DESTINATION_GATE: FactoryProvider<DestinationGate> = {
  provide: DestinationGate,
  inject: [SETTINGS, REDIS, CLOCK, DestinationRepository, LiveWorkers, WorkerState],
  useFactory: (
    { queue }: Settings,
    redis: Redis,
    clock: Clock,
    destinations: DestinationRepository,
    live: LiveWorkers,
    { closing }: WorkerState,
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
    };
    return new DestinationGate(book, limiter);
  },
};
