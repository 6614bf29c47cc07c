import { ProcessCache } from '@weft/concurrency';
import type { Settings } from '@weft/config';
import type { Clock } from '@weft/kernel';
import type { Metrics } from '@weft/observability';
import type { InvalidationBus } from '@weft/realtime-bus';

/** The interval of the job `cache-eviction`: docs/operator-contract.md §4. */
const EVICT_EVERY_MS = 60_000;
const BYTES_PER_MB = 1_048_576;

/**
 * The cache of the process. Expired entries are evicted every minute, even if Redis is unreachable, and when
 * somebody requests the job `cache-eviction`.
 */
export function openCache(
  settings: Settings,
  clock: Pick<Clock, 'monotonicMs'>,
  metrics: Pick<Metrics, 'cacheEvicted'>,
  bus: Pick<InvalidationBus, 'on'>,
): { readonly cache: ProcessCache; readonly stop: () => void } {
  const cache = new ProcessCache({
    maxBytes: settings.cache.maxSizeMb * BYTES_PER_MB,
    onEvicted: (type, reason) => metrics.cacheEvicted(type, reason),
    monotonicMs: () => clock.monotonicMs(),
  });
  const timer = setInterval(() => cache.evictExpired(), EVICT_EVERY_MS).unref();
  const stopListening = bus.on('caches', () => cache.evictExpired());
  return {
    cache,
    stop: () => {
      clearInterval(timer);
      stopListening();
    },
  };
}
