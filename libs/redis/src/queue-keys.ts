import type { WindowKeys } from './script-types.js';

/** Every Redis key and queue name of the run path, built in one place. Hash tags keep the keys of one script in one slot. */
export class QueueKeys {
  private readonly suffix: { readonly name: string; readonly tag: string };

  /** @param label the queues of the workers with this label; default: of those without one */
  constructor(
    private readonly prefix: string,
    readonly shards: number,
    readonly label: string | null = null,
  ) {
    this.suffix = label === null ? { name: '', tag: '' } : { name: `-${label}`, tag: `:${label}` };
  }

  /** The same with the queues of the workers with this label. */
  of(label: string | null): QueueKeys {
    return label === this.label ? this : new QueueKeys(this.prefix, this.shards, label);
  }

  /** BullMQ's name of a shard's queue. */
  queue(shard: number): string {
    return `plays-${shard}${this.suffix.name}`;
  }

  /** BullMQ's key prefix of a shard: one hash slot for each shard of each label, so that they spread over a cluster. */
  queuePrefix(shard: number): string {
    return `{${this.prefix}:${shard}${this.suffix.tag}}`;
  }

  /** The hash of a job, while BullMQ knows the job. */
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

  /** The keys of a company's window, as its script takes them. */
  window(companyId: string): WindowKeys {
    return [this.windowRung(companyId), this.windowWaits(companyId)];
  }

  /** The set of plays of a company that were rung for through its window and have not ended. */
  windowRung(companyId: string): string {
    return `{${this.prefix}:w:${companyId}}:rung`;
  }

  /** Exists while a company has more plays that could run than its window holds. */
  windowWaits(companyId: string): string {
    return `{${this.prefix}:w:${companyId}}:waits`;
  }

  /** The lock of a company's refill. */
  windowRefill(companyId: string): string {
    return `{${this.prefix}:w:${companyId}}:refill`;
  }

  /** The hash of live workers: boot id → slots and the server time of the last sign of life. */
  get workers(): string {
    return `${this.prefix}:workers`;
  }

  /** A random text, which is lost whenever Redis loses the data of the shard. */
  generation(shard: number): string {
    return `${this.queuePrefix(shard)}:generation`;
  }
}
