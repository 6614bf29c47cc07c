import type { QueueJob } from '@weft/contracts';
import type { QueueKeys, Redis } from '@weft/redis';
import { Queue } from 'bullmq';

/**
 * BullMQ's queues of all shards over one connection. They are made when Redis answers for the first time: BullMQ asks for
 * its version at once, and a queue whose request failed would never work.
 */
export class PlayQueues {
  private opening: Promise<readonly Queue<QueueJob>[]> | null = null;

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
  ) {}

  /** One queue for each shard, in order. @throws while Redis is unreachable */
  async open(): Promise<readonly Queue<QueueJob>[]> {
    if (this.redis.status !== 'ready') throw new Error('Redis is unreachable');
    this.opening ??= this.make();
    try {
      return await this.opening;
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  async close(): Promise<void> {
    const queues = await this.opening?.catch(() => []);
    await Promise.allSettled((queues ?? []).map((queue) => queue.close()));
  }

  private async make(): Promise<readonly Queue<QueueJob>[]> {
    const queues = Array.from({ length: this.keys.shards }, (_, shard) => {
      const queue = new Queue<QueueJob>(this.keys.queue(shard), {
        connection: this.redis,
        prefix: this.keys.queuePrefix(shard),
        streams: { events: { maxLen: 100 } },
      });
      queue.on('error', () => undefined); // each call that fails reports so itself
      return queue;
    });
    await Promise.all(queues.map((queue) => queue.waitUntilReady()));
    return queues;
  }
}
