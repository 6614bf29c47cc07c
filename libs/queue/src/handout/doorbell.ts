import { queueJobId, type PlayJob, type QueueJob } from '@weft/contracts';
import type { QueueKeys, Redis } from '@weft/redis';
import type { JobsOptions, Queue } from 'bullmq';
import { groupJobs } from './group-jobs.js';
import { PlayQueues } from './play-queues.js';

export interface DoorbellOptions {
  /** A ring that was requested longer ago is dropped: it is left to the reconciler (docs/protocol.md §5). */
  readonly ringByMs: number;
  /** How many of these plays, rung for at once, share a job (`LiveWorkers.playsPerJob`). Default: each has its own. */
  readonly playsPerJob?: (plays: number) => number;
  /** Called for rings that were not made: Redis is unreachable, or it was too late. The reconciler makes up for them. */
  readonly onDropped?: (count: number, cause: unknown) => void;
}

export interface AskedRing {
  readonly job: PlayJob;
  /** Monotonic time at which the write that caused the ring was sent. */
  readonly askedAtMs: number;
}

/** BullMQ's options of a job: it never gives the job up, and removes it as soon as it is completed. */
const JOB: JobsOptions = { attempts: 1, removeOnComplete: true, removeOnFail: false };

/**
 * Rings for plays: tells the workers to look at them. Never fails and never waits for Redis: a play is accepted without it.
 */
export class Doorbell {
  private readonly queues: PlayQueues;

  constructor(
    redis: Redis,
    private readonly keys: QueueKeys,
    private readonly options: DoorbellOptions,
  ) {
    this.queues = new PlayQueues(redis, keys);
  }

  /**
   * Rings for these plays in one round trip per shard.
   *
   * @param askedAtMs monotonic time at which the write that caused the ring was sent
   * @returns whether all were rung
   */
  ring(jobs: readonly PlayJob[], askedAtMs: number): Promise<boolean> {
    return this.ringEach(jobs.map((job) => ({ job, askedAtMs })));
  }

  /** The same for plays with a time each: one for which it is too late does not take the rings of the others away. */
  async ringEach(asked: readonly AskedRing[]): Promise<boolean> {
    if (asked.length === 0) return true;
    let inTime = asked;
    try {
      const queues = await this.queues.open();
      inTime = asked.filter(({ askedAtMs }) => !this.isTooLate(askedAtMs));
      const late = asked.length - inTime.length;
      if (late > 0) this.options.onDropped?.(late, new Error('too late'));
      const jobs = inTime.map(({ job }) => job);
      const most = this.options.playsPerJob?.(jobs.length) ?? 1;
      await Promise.all(this.byShard(queues, jobs).map(([queue, group]) => addAll(queue, groupJobs(group, most))));
      return late === 0;
    } catch (cause) {
      this.options.onDropped?.(inTime.length, cause);
      return false;
    }
  }

  /** Whether a ring that was requested at this time would be dropped. */
  isTooLate(askedAtMs: number): boolean {
    return performance.now() - askedAtMs > this.options.ringByMs;
  }

  close(): Promise<void> {
    return this.queues.close();
  }

  private byShard(queues: readonly Queue<QueueJob>[], jobs: readonly PlayJob[]): [Queue<QueueJob>, PlayJob[]][] {
    const groups = new Map<number, PlayJob[]>();
    for (const job of jobs) {
      const shard = this.keys.shardOf(job.playId);
      const group = groups.get(shard);
      if (group) group.push(job);
      else groups.set(shard, [job]);
    }
    return [...groups].flatMap(([shard, group]) => {
      const queue = queues[shard];
      return queue ? [[queue, group] as [Queue<QueueJob>, PlayJob[]]] : [];
    });
  }
}

/** A single job needs no transaction, which would cost more than the job. */
function addAll(queue: Queue<QueueJob>, jobs: readonly QueueJob[]): Promise<unknown> {
  const [first] = jobs;
  if (first === undefined || jobs.length > 1) return queue.addBulk(jobs.map(asBulkJob));
  const { name, data, opts } = asBulkJob(first);
  return queue.add(name, data, opts);
}

function asBulkJob(job: QueueJob) {
  return { name: 'play', data: job, opts: { ...JOB, jobId: queueJobId(job) } };
}
