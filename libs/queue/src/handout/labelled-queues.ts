import type { QueueJob } from '@weft/contracts';
import type { QueueKeys, Redis } from '@weft/redis';
import type { Queue } from 'bullmq';
import { PlayQueues } from './play-queues.js';

/** The queues of each label of workers, made when they are first asked for. */
export class LabelledQueues {
  private readonly byLabel = new Map<string | null, PlayQueues>();

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
  ) {}

  /** One queue for each shard, in order, of each of these labels. @throws while Redis is unreachable */
  async open(labels: Iterable<string | null>): Promise<ReadonlyMap<string | null, readonly Queue<QueueJob>[]>> {
    const opened = [...new Set(labels)].map(async (label) => [label, await this.of(label).open()] as const);
    return new Map(await Promise.all(opened));
  }

  async close(): Promise<void> {
    await Promise.all([...this.byLabel.values()].map((queues) => queues.close()));
  }

  private of(label: string | null): PlayQueues {
    const known = this.byLabel.get(label);
    if (known) return known;
    const queues = new PlayQueues(this.redis, this.keys.of(label));
    this.byLabel.set(label, queues);
    return queues;
  }
}
