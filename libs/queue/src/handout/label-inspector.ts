import { playJobId, playsOfJob, type PlayJob, type QueueJob } from '@weft/contracts';
import { madeAt } from '@weft/kernel';
import { Batch, type QueueKeys, type Redis } from '@weft/redis';
import type { Job } from 'bullmq';
import { FIRST_EPOCH } from './group-jobs.js';
import { JobLists } from './job-lists.js';
import { PlayQueues } from './play-queues.js';

/** For the first look at plays, page by page, the lists of a shard are read this often. */
const SNAPSHOT_MS = 2_000;
/** How many of the jobs that were given back are read, those with the shortest delay: any of them may be the oldest. */
const GIVEN_BACK_SEEN = 100;

/** The plays in the queue of one shard; a job counts with the plays that it had when it was added, some of which may have ended. */
export interface ShardDepth {
  readonly name: string;
  /** Of its workers; null: of those without one. */
  readonly label: string | null;
  readonly waiting: number;
  readonly active: number;
  /** Since when the play that has waited longest could run; null when none waits. */
  readonly oldestSince: Date | null;
}

/** The jobs in the lists of a shard. */
interface ListedJobs {
  /** Monotonic time from before they were read. */
  readonly atMs: number;
  readonly ids: ReadonlySet<string>;
  /** The plays of jobs that have several, each as the id that a job of its own would have. */
  readonly grouped: ReadonlySet<string>;
}

/** Reads what Redis knows of plays' jobs in the queues of one label of workers. */
export class LabelInspector {
  private readonly queues: PlayQueues;
  private readonly lists: JobLists;
  /** By shard. */
  private readonly seen = new Map<number, ListedJobs>();

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
  ) {
    this.queues = new PlayQueues(redis, keys);
    this.lists = new JobLists(redis, keys);
  }

  /**
   * The plays whose job no worker will get or has.
   *
   * @param sureBy `record`: a job that Redis has a record of counts as being in a list, unless its shard has no jobs at all;
   * `lists`: the job is looked for in the lists, which reads them completely
   * @throws when Redis does not answer: then nothing is known of any play
   */
  async missing<T extends Pick<PlayJob, 'playId' | 'epoch'>>(
    jobs: readonly T[],
    sureBy: 'record' | 'lists' = 'record',
  ): Promise<T[]> {
    if (jobs.length === 0) return [];
    const shardOf = (job: T) => this.keys.shardOf(job.playId);
    const batch = new Batch(this.redis);
    for (const job of jobs) {
      const key = this.keys.job(shardOf(job), playJobId(job));
      batch.of(key).exists(key);
    }
    const known = await batch.answers();
    const recorded = new Set(jobs.filter((_, i) => known[i] === 1));
    const empty = await this.lists.empty();
    const listed = new Map<number, ListedJobs>();
    // a job of several plays is found by the lists alone
    const unsure = sureBy === 'lists' ? jobs : jobs.filter((job) => !recorded.has(job));
    for (const shard of new Set(unsure.map(shardOf))) {
      if (!empty.has(shard)) listed.set(shard, await this.listed(shard, sureBy));
    }
    return jobs.filter((job) => {
      const { ids, grouped } = listed.get(shardOf(job)) ?? {};
      if (!recorded.has(job)) return grouped?.has(playJobId(job)) !== true;
      return empty.has(shardOf(job)) || (sureBy === 'lists' && ids?.has(playJobId(job)) !== true);
    });
  }

  private async listed(shard: number, sureBy: 'record' | 'lists'): Promise<ListedJobs> {
    const before = this.seen.get(shard);
    if (sureBy === 'record' && before && performance.now() - before.atMs < SNAPSHOT_MS) return before;
    const atMs = performance.now();
    const ids = await this.lists.ids(shard);
    const groups = await this.lists.groups(shard, ids);
    const jobs = { atMs, ids, grouped: new Set(groups.flatMap(playsOfJob).map(playJobId)) };
    this.seen.set(shard, jobs);
    return jobs;
  }

  /** Whether the queue has no jobs at all. @throws when Redis does not answer */
  async isEmpty(): Promise<boolean> {
    return (await this.lists.empty()).size === this.keys.shards;
  }

  /** Jobs that BullMQ gave up. */
  async failed(limit: number): Promise<Job<QueueJob>[]> {
    const lists = await Promise.all((await this.queues.open()).map((queue) => queue.getFailed(0, limit - 1)));
    return lists.flat();
  }

  /** Plays whose jobs wait for a worker or are with one, by shard. */
  async shards(): Promise<ShardDepth[]> {
    return Promise.all(
      (await this.queues.open()).map(async (queue, shard) => {
        const [plays, next, givenBack] = await Promise.all([
          this.lists.plays(shard),
          queue.getWaiting(0, 0), // the next to be taken: it was rung for before the others
          queue.getDelayed(0, GIVEN_BACK_SEEN - 1),
        ]);
        return {
          name: queue.name,
          label: this.keys.label,
          waiting: plays.wait + plays.paused + plays.prioritized + plays.delayed,
          active: plays.active,
          oldestSince: oldest([...next, ...givenBack].map(couldRunSince)),
        };
      }),
    );
  }

  close(): Promise<void> {
    return this.queues.close();
  }
}

/**
 * A first ring may be made long after the play was accepted: it waited outside its company's window. A later ring is made
 * when the play can run again.
 */
function couldRunSince({ data, timestamp }: Job<QueueJob>): Date {
  const [first] = playsOfJob(data);
  return new Date(first?.epoch === FIRST_EPOCH ? madeAt(first.playId) : timestamp);
}

function oldest(times: readonly Date[]): Date | null {
  return times.length === 0 ? null : new Date(Math.min(...times.map(Number)));
}
