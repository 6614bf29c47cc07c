import { RedisNames, Scripts, type Redis } from '@weft/redis';
import type { ConnectionCounts } from './connection-quota.js';

/** The counts of a gateway that died expire after this time. */
const COUNT_TTL_MS = 20_000;
/** The opening of a socket waits no longer than this for Redis. */
const DEADLINE_MS = 250;
/** Users of one command, so that no command blocks Redis for long. */
const USERS_PER_COMMAND = 500;

export interface ConnectionCountsOptions {
  /** Of the Redis keys; gateways with another prefix count separately. */
  readonly prefix: string;
  /** Names this process. */
  readonly gatewayId: string;
  /** Redis did not answer in time. */
  readonly onUnreachable: (error: unknown) => void;
  readonly ttlMs?: number;
}

/** The open sockets of users in Redis. */
export class RedisConnectionCounts implements ConnectionCounts {
  private readonly scripts: Scripts;
  private readonly names: RedisNames;
  private readonly ttlMs: number;

  constructor(
    private readonly redis: Redis,
    private readonly options: ConnectionCountsOptions,
  ) {
    this.scripts = new Scripts(redis);
    this.names = new RedisNames(options.prefix);
    this.ttlMs = options.ttlMs ?? COUNT_TTL_MS;
  }

  async claim(userId: string, own: number, most: number): Promise<number | null> {
    const { gatewayId, onUnreachable } = this.options;
    let impatient: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      impatient = setTimeout(() => reject(new Error(`Redis did not answer within ${DEADLINE_MS} ms`)), DEADLINE_MS);
    });
    try {
      const args = [gatewayId, own, this.ttlMs, most] as const;
      const claimed = this.scripts.one('claimConnections', { keys: [this.names.sockets(userId)], args });
      return await Promise.race([claimed, late]);
    } catch (error) {
      onUnreachable(error);
      return null;
    } finally {
      clearTimeout(impatient);
    }
  }

  async publish(counts: ReadonlyMap<string, number>): Promise<void> {
    const all = [...counts];
    const published: Promise<unknown>[] = [];
    for (let at = 0; at < all.length; at += USERS_PER_COMMAND) {
      const some = all.slice(at, at + USERS_PER_COMMAND);
      const keys = some.map(([userId]) => this.names.sockets(userId));
      const sockets = some.map(([, count]) => count);
      // no command waits for the one before: Redis applies them in this order
      const args = [this.options.gatewayId, this.ttlMs, ...sockets] as const;
      published.push(this.scripts.one('publishConnections', { keys, args }));
    }
    await Promise.allSettled(published);
  }

  onLoss(listener: () => void): () => void {
    this.redis.on('ready', listener); // Redis may have lost everything while it was unreachable
    return () => void this.redis.off('ready', listener);
  }
}
