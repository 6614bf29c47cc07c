import { ProcessCache } from '@weft/concurrency';
import { Injectable } from '@nestjs/common';
import { InvalidationBus } from '@weft/realtime-bus';
import { Jobs } from '../jobs/jobs.js';

/** The interval of the job `cache-eviction`: docs/operator-contract.md §4. */
const EVERY_MS = 60_000;

/**
 * The job `cache-eviction`. Caches live in the processes that use them, and each process evicts its expired entries by
 * itself every minute; this job makes all of them do it now. The record counts what this process evicted; the metric
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
