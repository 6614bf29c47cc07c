/** Every Redis key and queue name of the run path, built in one place. Hash tags keep what one script touches together. */
export class QueueKeys {
  constructor(
    private readonly prefix: string,
    readonly shards: number,
  ) {}

  /** BullMQ's name of a shard's queue. */
  queue(shard: number): string {
    return `plays-${shard}`;
  }

  /** BullMQ's key prefix of a shard: one hash slot each, so that shards spread over a cluster. */
  queuePrefix(shard: number): string {
    return `{${this.prefix}:${shard}}`;
  }

  /** The hash that a job lies in while BullMQ knows it. */
  job(shard: number, jobId: string): string {
    return `${this.queuePrefix(shard)}:${this.queue(shard)}:${jobId}`;
  }

  /** One of BullMQ's lists of jobs. */
  jobs(shard: number, list: string): string {
    return `${this.queuePrefix(shard)}:${this.queue(shard)}:${list}`;
  }

  shardOf(playId: string): number {
    if (this.shards === 1) return 0;
    let hash = 0;
    for (let i = 0; i < playId.length; i += 1) hash = (Math.imul(hash, 31) + playId.charCodeAt(i)) >>> 0;
    return hash % this.shards;
  }

  /** Set of the plays of a company that were rung through its window and have not ended. */
  windowRung(companyId: string): string {
    return `{${this.prefix}:w:${companyId}}:rung`;
  }

  /** Hash of a company's window: `cursor`, `waiting`, `refused`, `raiseUpTo`, `lanes`, `from`, `due`. */
  windowState(companyId: string): string {
    return `{${this.prefix}:w:${companyId}}:state`;
  }

  windowRefill(companyId: string): string {
    return `{${this.prefix}:w:${companyId}}:refill`;
  }

  /** List of plays that were accepted after the cursor had passed their ids. */
  windowSlipped(companyId: string): string {
    return `{${this.prefix}:w:${companyId}}:slipped`;
  }

  /** Set of the companies that have plays waiting behind their window. */
  get windowsWaiting(): string {
    return `${this.prefix}:windows`;
  }

  /** Hash of live workers: boot id → slots and server time of its last sign of life. */
  get workers(): string {
    return `${this.prefix}:workers`;
  }

  /** A random text that is gone when Redis lost its data. */
  get generation(): string {
    return `${this.prefix}:generation`;
  }
}
