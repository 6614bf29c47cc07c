import { answersOf, type QueueKeys, type Redis } from '@weft/redis';

/** Where BullMQ keeps the ids of the jobs that a worker will get or has. */
const LISTS = ['wait', 'active', 'paused'] as const;
const SORTED_SETS = ['prioritized', 'delayed'] as const;

/**
 * The lists from which BullMQ hands out jobs: a job that is in none of them is never handed out, even if its record exists.
 */
export class JobLists {
  private readonly shards: readonly number[];

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
  ) {
    this.shards = Array.from({ length: keys.shards }, (_, shard) => shard);
  }

  /** Shards without any job. */
  async empty(): Promise<ReadonlySet<number>> {
    const pipeline = this.redis.pipeline();
    for (const shard of this.shards) {
      for (const list of LISTS) pipeline.llen(this.keys.jobs(shard, list));
      for (const set of SORTED_SETS) pipeline.zcard(this.keys.jobs(shard, set));
    }
    const counts = (await answersOf(pipeline)) as readonly number[];
    const each = LISTS.length + SORTED_SETS.length;
    return new Set(this.shards.filter((shard) => counts.slice(shard * each, (shard + 1) * each).every((n) => n === 0)));
  }

  /** Ids of all jobs of a shard, in one snapshot. */
  async ids(shard: number): Promise<ReadonlySet<string>> {
    const pipeline = this.redis.multi();
    for (const list of LISTS) pipeline.lrange(this.keys.jobs(shard, list), 0, -1);
    for (const set of SORTED_SETS) pipeline.zrange(this.keys.jobs(shard, set), '0', '-1');
    const answers = (await answersOf(pipeline, LISTS.length + SORTED_SETS.length)) as readonly string[][];
    return new Set(answers.flat());
  }
}
