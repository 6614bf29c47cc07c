import type { QueueKeys, Redis } from '@weft/redis';
import { expect, it, vi } from 'vitest';
import { Doorbell } from './doorbell.js';

const jobOf = (playId: string) => ({ playId, companyId: 'c', flowId: 'f', epoch: 1 });

it('drops the ring for which it is too late, and none of those that are asked for with it', async () => {
  const onDropped = vi.fn();
  const keys = { shardOf: () => 0 } as unknown as QueueKeys;
  const doorbell = new Doorbell({} as Redis, keys, { ringByMs: 60_000, onDropped });
  const rung: string[] = [];
  const queue = {
    addBulk: (jobs: readonly { readonly data: { readonly playId: string } }[]) => {
      rung.push(...jobs.map(({ data }) => data.playId));
      return Promise.resolve();
    },
  };
  Object.assign(doorbell, {
    queues: { open: () => Promise.resolve(new Map([[null, [queue]]])), close: () => Promise.resolve() },
  });
  const now = performance.now();
  const asked = [now - 120_000, now, now].map((askedAtMs, i) => ({ job: jobOf(`p${i}`), askedAtMs }));
  expect(await doorbell.ringEach(asked)).toBe(false);
  expect([rung, onDropped.mock.calls.map(([count]) => count as number)]).toEqual([['p1', 'p2'], [1]]);
});
