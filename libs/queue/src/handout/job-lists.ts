import { isGroupId, playCountOf, type QueueJob } from '@weft/contracts';
import { answersOf, Batch, type QueueKeys, type Redis } from '@weft/redis';

/** Where BullMQ keeps the ids of the jobs that a worker will get or has. */
const LISTS = ['wait', 'active', 'paused'] as const;
const SORTED_SETS = ['prioritized', 'delayed'] as const;
type List = (typeof LISTS)[number] | (typeof SORTED_SETS)[number];

/** Ids of a list that are looked at to tell how many plays a job has. */
const SAMPLE = 1_000;

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
    const batch = new Batch(this.redis);
    for (const shard of this.shards) {
      const keysOf = (lists: readonly List[]) => lists.map((list) => this.keys.jobs(shard, list));
      for (const key of keysOf(LISTS)) batch.of(key).llen(key);
      for (const key of keysOf(SORTED_SETS)) batch.of(key).zcard(key);
    }
    const counts = (await batch.answers()) as readonly number[];
    const each = LISTS.length + SORTED_SETS.length;
    return new Set(this.shards.filter((shard) => counts.slice(shard * each, (shard + 1) * each).every((n) => n === 0)));
  }

  /** How many plays the jobs in each list of a shard have, by their ids: long lists are counted by their first ids. */
  async plays(shard: number): Promise<Readonly<Record<List, number>>> {
    const pipeline = this.redis.multi();
    for (const list of LISTS) {
      pipeline.llen(this.keys.jobs(shard, list)).lrange(this.keys.jobs(shard, list), 0, SAMPLE - 1);
    }
    for (const set of SORTED_SETS) {
      pipeline.zcard(this.keys.jobs(shard, set)).zrange(this.keys.jobs(shard, set), '0', `${SAMPLE - 1}`);
    }
    const answers = await answersOf(pipeline, 2 * (LISTS.length + SORTED_SETS.length));
    const counts = [...LISTS, ...SORTED_SETS].map((list, i) => {
      const [jobs, ids] = [answers[2 * i] as number, answers[2 * i + 1] as readonly string[]];
      const seen = ids.reduce((sum, id) => sum + playCountOf(id), 0);
      return [list, ids.length === 0 ? 0 : Math.round((seen / ids.length) * jobs)] as const;
    });
    return Object.fromEntries(counts) as Record<List, number>;
  }

  /** Ids of all jobs of a shard, in one snapshot. */
  async ids(shard: number): Promise<ReadonlySet<string>> {
    const pipeline = this.redis.multi();
    for (const list of LISTS) pipeline.lrange(this.keys.jobs(shard, list), 0, -1);
    for (const set of SORTED_SETS) pipeline.zrange(this.keys.jobs(shard, set), '0', '-1');
    const answers = (await answersOf(pipeline, LISTS.length + SORTED_SETS.length)) as readonly string[][];
    return new Set(answers.flat());
  }

  /** Of these jobs of a shard, those that have several plays. */
  async groups(shard: number, jobIds: Iterable<string>): Promise<QueueJob[]> {
    const pipeline = this.redis.pipeline();
    for (const jobId of jobIds) if (isGroupId(jobId)) pipeline.hget(this.keys.job(shard, jobId), 'data');
    if (pipeline.length === 0) return [];
    const answers = (await answersOf(pipeline)) as readonly (string | null)[];
    return answers.flatMap((text) => (text === null ? [] : [JSON.parse(text) as QueueJob]));
  }
}
