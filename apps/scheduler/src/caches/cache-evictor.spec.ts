import { ProcessCache } from '@weft/concurrency';
import type { InvalidationBus } from '@weft/realtime-bus';
import { expect, it } from 'vitest';
import type { JobDefinition } from '../jobs/job-definition.js';
import type { Jobs } from '../jobs/jobs.js';
import { CacheEvictor } from './cache-evictor.js';

it('tells every process to throw out what has expired, and records what this one did', async () => {
  const jobs: JobDefinition[] = [];
  const told: unknown[] = [];
  const clock = { now: 1 };
  const cache = new ProcessCache({ maxBytes: 1_000, onEvicted: () => undefined, monotonicMs: () => clock.now });
  const adding = { add: (job: JobDefinition) => void jobs.push(job) } as Jobs;
  const bus = { publish: (message: unknown) => void told.push(message) } as unknown as InvalidationBus;
  void new CacheEvictor(adding, cache, bus);
  const [job] = jobs;
  expect([job?.name, job?.everyMs()]).toEqual(['cache-eviction', 60_000]);
  cache.of('flow_definitions').set('f', {});
  clock.now += 3_600_000;
  const run = { startedAt: new Date(), signal: new AbortController().signal, tellLeft: () => Promise.resolve() };
  expect(await job?.run(run)).toEqual({ entriesDeleted: 1 });
  expect(await job?.run(run)).toEqual({ entriesDeleted: 0 });
  expect(told).toEqual([
    { kind: 'caches', id: 'expired' },
    { kind: 'caches', id: 'expired' },
  ]);
});
