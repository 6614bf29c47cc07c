import { playJobId, type PlayJob } from '@weft/contracts';
import { Queue, type JobsOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { QueueKeys } from './keys.js';

export interface DoorbellOptions {
  /** Rings that were asked for longer ago are dropped: the reconciler has them then (protocol §5). */
  readonly ringByMs: number;
  readonly onRung?: (count: number) => void;
  /** Rings that were not made: Redis is away, or it was too late. The reconciler makes them good. */
  readonly onDropped?: (count: number) => void;
}

/** What BullMQ is told of a play's job: it never gives one up, and forgets it as soon as it is done. */
const JOB: JobsOptions = { attempts: 1, removeOnComplete: true, removeOnFail: false };

/** Says "look at this play" to the workers. Never fails and never waits for Redis: a play is accepted without it. */
export class Doorbell {
  private readonly queues: readonly Queue<PlayJob>[];

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
    private readonly options: DoorbellOptions,
  ) {
    this.queues = Array.from({ length: keys.shards }, (_, shard) => {
      const queue = new Queue<PlayJob>(keys.queue(shard), {
        connection: redis,
        prefix: keys.queuePrefix(shard),
        skipWaitingForReady: true,
        streams: { events: { maxLen: 100 } },
      });
      queue.on('error', () => undefined); // every ring that fails is counted
      return queue;
    });
  }

  /**
   * Rings for these plays in one round trip a shard.
   *
   * @param askedAtMs monotonic time at which the write that asked for it was sent
   * @returns whether all were rung
   */
  async ring(jobs: readonly PlayJob[], askedAtMs: number): Promise<boolean> {
    if (jobs.length === 0) return true;
    if (this.redis.status !== 'ready' || performance.now() - askedAtMs > this.options.ringByMs) {
      this.options.onDropped?.(jobs.length);
      return false;
    }
    try {
      await Promise.all(this.byShard(jobs).map(([queue, group]) => queue.addBulk(group.map(asBulkJob))));
      this.options.onRung?.(jobs.length);
      return true;
    } catch {
      this.options.onDropped?.(jobs.length);
      return false;
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.queues.map((queue) => queue.close()));
  }

  private byShard(jobs: readonly PlayJob[]): [Queue<PlayJob>, PlayJob[]][] {
    const groups = new Map<number, PlayJob[]>();
    for (const job of jobs) {
      const shard = this.keys.shardOf(job.playId);
      const group = groups.get(shard);
      if (group) group.push(job);
      else groups.set(shard, [job]);
    }
    return [...groups].flatMap(([shard, group]) => {
      const queue = this.queues[shard];
      return queue ? [[queue, group] as [Queue<PlayJob>, PlayJob[]]] : [];
    });
  }
}

function asBulkJob(job: PlayJob) {
  return { name: 'play', data: job, opts: { ...JOB, jobId: playJobId(job) } };
}
