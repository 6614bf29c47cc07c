import { Injectable } from '@nestjs/common';
import { ProcessCache } from '@weft/persistence';
import { InvalidationBus } from '@weft/realtime-bus';
import { Jobs } from '../jobs/jobs.js';

/** Specification §6.5. */
const EVERY_MS = 60_000;

/**
 * The job `cache-eviction`. Caches live in the processes that use them, and each throws out what has expired by itself,
 * every minute; this tells all of them to do it now. The record counts what this process threw out, the metric
 * `cache_evictions_total` of each process counts its own.
 */
@Injectable()
export class CacheEvictor {
  constructor(jobs: Jobs, cache: ProcessCache, bus: InvalidationBus) {
    jobs.add({
      name: 'cache-eviction',
      everyMs: () => EVERY_MS,
      run: () => {
        const entriesDeleted = cache.evictExpired();
        bus.publish({ kind: 'caches', id: 'expired' });
        return Promise.resolve({ entriesDeleted });
      },
    });
  }
}
