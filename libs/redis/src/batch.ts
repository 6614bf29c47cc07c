import type { ChainableCommander } from 'ioredis';
import { isCluster, type Redis } from './redis.js';

type Reply = readonly [error: Error | null, answer: unknown];

/**
 * Commands that are sent together: to one server in one round trip, to a cluster in one for each hash slot. Nothing makes them
 * one transaction.
 */
export class Batch {
  private readonly pipelines = new Map<string, ChainableCommander>();
  /** For each command its pipeline, in order. */
  private readonly order: ChainableCommander[] = [];

  constructor(private readonly redis: Redis) {}

  get length(): number {
    return this.order.length;
  }

  /** Call one method of what it returns, for one command. @param key of the command, or its channel */
  of(key: string): ChainableCommander {
    const slot = isCluster(this.redis) ? tagOf(key) : '';
    let pipeline = this.pipelines.get(slot);
    if (!pipeline) this.pipelines.set(slot, (pipeline = this.redis.pipeline()));
    this.order.push(pipeline);
    return pipeline;
  }

  /** As the function of this name. */
  publish(channel: string, message: string): void {
    const pipeline = this.of(channel);
    if (isCluster(this.redis)) pipeline.spublish(channel, message);
    else pipeline.publish(channel, message);
  }

  /** What became of each command, in the order in which they were added. Never rejects. */
  async replies(): Promise<readonly Reply[]> {
    const executed = [...this.pipelines.values()].map(
      async (pipeline) => [pipeline, await repliesOf(pipeline)] as const,
    );
    const next = new Map((await Promise.all(executed)).map(([pipeline, replies]) => [pipeline, replies.values()]));
    return this.order.map((pipeline) => next.get(pipeline)?.next().value ?? [new Error('Redis gave no answer'), null]);
  }

  /** The answers to all commands. @throws the first error of any */
  async answers(): Promise<readonly unknown[]> {
    const replies = await this.replies();
    const failure = replies.find(([error]) => error)?.[0];
    if (failure) throw failure;
    return replies.map(([, answer]) => answer);
  }
}

async function repliesOf(pipeline: ChainableCommander): Promise<readonly Reply[]> {
  const count = pipeline.length;
  const failed = (error: Error) => Array.from({ length: count }, (): Reply => [error, null]);
  return pipeline.exec().then((replies) => replies ?? [], failed);
}

/** Keys with the same tag are in the same hash slot. */
function tagOf(key: string): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? key;
}
