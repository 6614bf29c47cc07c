import { queueJobId, type PlayJob, type QueueJob } from '@weft/contracts';
import type { QueueKeys, Redis } from '@weft/redis';
import type { JobsOptions, Queue } from 'bullmq';
import { groupJobs } from './group-jobs.js';
import { LabelledQueues } from './labelled-queues.js';

export interface DoorbellOptions {
  /** A ring that was requested longer ago is dropped: it is left to the reconciler (docs/protocol.md §5). */
  readonly ringByMs: number;
  /** How many of these plays, rung for at once, share a job (`LiveWorkers.playsPerJob`). Default: each has its own. */
  readonly playsPerJob?: (plays: number, label: string | null) => number;
  /** The label of the workers that execute a company's plays (`CompanyLimits.workerLabel`). Default: all go to workers without one. */
  readonly labelOf?: (companyId: string) => string | null | Promise<string | null>;
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
  private readonly queues: LabelledQueues;

  constructor(
    redis: Redis,
    private readonly keys: QueueKeys,
    private readonly options: DoorbellOptions,
  ) {
    this.queues = new LabelledQueues(redis, keys);
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
      const labels = await this.labelsOf(asked);
      const queues = await this.queues.open(labels.values());
      inTime = asked.filter(({ askedAtMs }) => !this.isTooLate(askedAtMs));
      const late = asked.length - inTime.length;
      if (late > 0) this.options.onDropped?.(late, new Error('too late'));
      const byLabel = Map.groupBy(inTime, ({ job }) => labels.get(job.companyId) ?? null);
      const jobs = [...byLabel].map(([label, of]) => [label, of.map(({ job }) => job)] as const);
      await Promise.all(jobs.map(([label, of]) => this.add(queues.get(label) ?? [], label, of)));
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

  /** Those of the companies; a company whose label is not known must wait for it: its plays may run on these workers alone. */
  private async labelsOf(asked: readonly AskedRing[]): Promise<ReadonlyMap<string, string | null>> {
    const labels = new Map<string, string | null>();
    const { labelOf = () => null } = this.options;
    for (const { job } of asked) {
      if (labels.has(job.companyId)) continue;
      const label = labelOf(job.companyId);
      labels.set(job.companyId, label instanceof Promise ? await label : label);
    }
    return labels;
  }

  private async add(queues: readonly Queue<QueueJob>[], label: string | null, jobs: readonly PlayJob[]): Promise<void> {
    const most = this.options.playsPerJob?.(jobs.length, label) ?? 1;
    await Promise.all(this.byShard(queues, jobs).map(([queue, group]) => addAll(queue, groupJobs(group, most))));
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
