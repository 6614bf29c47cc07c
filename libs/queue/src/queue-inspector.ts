import { playJobId, type PlayJob } from '@weft/contracts';
import { madeAt } from '@weft/kernel';
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { JobLists } from './job-lists.js';
import { answersOf } from './redis-answers.js';
import type { QueueKeys } from './keys.js';
import { PlayQueues } from './play-queues.js';

/** A play that was never rung for before. */
const FIRST_EPOCH = 1;

/** The queue of one shard. */
export interface ShardDepth {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  /** Since when the play that is taken next could run; null when none waits. */
  readonly oldestSince: Date | null;
}

/** Looks at what Redis knows of plays' jobs, for the reconciler. */
export class QueueInspector {
  private readonly queues: PlayQueues;
  private readonly lists: JobLists;

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
  ) {
    this.queues = new PlayQueues(redis, keys);
    this.lists = new JobLists(redis, keys);
  }

  /**
   * Those whose job no worker will get, or has.
   *
   * @param sureBy `record`: a job that Redis has is taken to be in a list, unless its shard has none at all; `lists`: it is
   * looked for there, which reads them whole
   * @throws when Redis does not answer: then nothing is known of any
   */
  async missing<T extends Pick<PlayJob, 'playId' | 'epoch'>>(
    jobs: readonly T[],
    sureBy: 'record' | 'lists' = 'record',
  ): Promise<T[]> {
    if (jobs.length === 0) return [];
    const shardOf = (job: T) => this.keys.shardOf(job.playId);
    const pipeline = this.redis.pipeline();
    for (const job of jobs) pipeline.exists(this.keys.job(shardOf(job), playJobId(job)));
    const known = await answersOf(pipeline);
    const recorded = new Set(jobs.filter((_, i) => known[i] === 1));
    if (recorded.size === 0) return [...jobs];
    const empty = await this.lists.empty();
    const listed = new Map<number, ReadonlySet<string>>();
    const shards = sureBy === 'lists' ? new Set([...recorded].map(shardOf)) : [];
    for (const shard of shards) if (!empty.has(shard)) listed.set(shard, await this.lists.ids(shard));
    return jobs.filter((job) => {
      if (!recorded.has(job) || empty.has(shardOf(job))) return true;
      return listed.get(shardOf(job))?.has(playJobId(job)) === false;
    });
  }

  /** Whether no worker will get any job. @throws when Redis does not answer */
  async isEmpty(): Promise<boolean> {
    return (await this.lists.empty()).size === this.keys.shards;
  }

  /** Jobs that BullMQ gave up. */
  async failed(limit: number): Promise<Job<PlayJob>[]> {
    const lists = await Promise.all((await this.queues.open()).map((queue) => queue.getFailed(0, limit - 1)));
    return lists.flat();
  }

  /**
   * A text that changes when Redis lost data or was replaced: a key of ours that goes with the data, the server's run id
   * and its replication id.
   */
  async generation(): Promise<string> {
    await this.redis.set(this.keys.generation, randomUUID(), 'NX');
    const [key, info] = await Promise.all([this.redis.get(this.keys.generation), this.redis.info()]);
    const runId = /^run_id:(\S+)/m.exec(info)?.[1] ?? '';
    const replicationId = /^master_replid:(\S+)/m.exec(info)?.[1] ?? '';
    return `${key} ${runId} ${replicationId}`;
  }

  /** Jobs that wait for a worker or are with one, by shard. */
  async shards(): Promise<ShardDepth[]> {
    return Promise.all(
      (await this.queues.open()).map(async (queue) => {
        const [counts, [first]] = await Promise.all([
          queue.getJobCounts('waiting', 'active', 'delayed'),
          queue.getWaiting(0, 0), // the one that is taken next: it was rung before the others
        ]);
        const { waiting = 0, active = 0, delayed = 0 } = counts;
        return {
          name: queue.name,
          waiting: waiting + delayed,
          active,
          oldestSince: first ? couldRunSince(first) : null,
        };
      }),
    );
  }

  /** The same over all shards. */
  async depth(): Promise<{ waiting: number; active: number }> {
    const sum = { waiting: 0, active: 0 };
    for (const { waiting, active } of await this.shards()) {
      sum.waiting += waiting;
      sum.active += active;
    }
    return sum;
  }

  close(): Promise<void> {
    return this.queues.close();
  }
}

/** A first ring may come long after the play: it was behind its company's window. A later one comes when it can run again. */
function couldRunSince({ data: { playId, epoch }, timestamp }: Job<PlayJob>): Date {
  return new Date(epoch === FIRST_EPOCH ? madeAt(playId) : timestamp);
}
