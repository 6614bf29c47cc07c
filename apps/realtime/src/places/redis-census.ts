import type { BusRedis } from '@weft/realtime-bus';
import type { PlaceCensus } from './user-places.js';

/** A gateway that died counts for that long. */
const GOOD_FOR_MS = 20_000;
/** A socket that is being opened waits no longer for Redis. */
const DEADLINE_MS = 250;
/** Users in one command, so that Redis is never kept for long. */
const USERS_AT_ONCE = 500;

/**
 * A user's hash has for each gateway `<sockets> <until when they count>`, in ms of Redis' clock; it ends with its last count.
 *
 * KEYS: the user's. ARGV: gateway, its sockets, ms that they count, the most that may be. Gives the sockets elsewhere; nothing
 * is stored when there would be too many.
 */
const ENTER = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local elsewhere = 0
local counts = redis.call('HGETALL', KEYS[1])
for i = 1, #counts, 2 do
  local sockets, untilMs = string.match(counts[i + 1], '^(%d+) (%d+)$')
  if tonumber(untilMs) <= now then redis.call('HDEL', KEYS[1], counts[i])
  elseif counts[i] ~= ARGV[1] then elsewhere = elsewhere + sockets end
end
if elsewhere + ARGV[2] <= tonumber(ARGV[4]) then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. string.format('%.0f', now + ARGV[3]))
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return elsewhere`;

/** KEYS: those of many users. ARGV: gateway, ms that its counts are good for, its sockets of each. */
const TELL = `
local time = redis.call('TIME')
local untilMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2])
for i = 1, #KEYS do
  if ARGV[i + 2] == '0' then redis.call('HDEL', KEYS[i], ARGV[1])
  else
    redis.call('HSET', KEYS[i], ARGV[1], ARGV[i + 2] .. ' ' .. untilMs)
    redis.call('PEXPIRE', KEYS[i], ARGV[2])
  end
end
return 0`;

type ScriptRedis = BusRedis & {
  weftPlacesEnter(...args: (string | number)[]): Promise<number>;
  weftPlacesTell(...args: (string | number)[]): Promise<number>;
};

export interface CensusOptions {
  /** Of the Redis keys; gateways with another one count apart. */
  readonly prefix: string;
  /** Names this process. */
  readonly gateway: string;
  /** Redis could not be asked in time. */
  readonly onSilence: (error: unknown) => void;
  readonly goodForMs?: number;
}

/** The open sockets of users in Redis. */
export class RedisCensus implements PlaceCensus {
  private readonly redis: ScriptRedis;
  private readonly goodForMs: number;

  constructor(
    redis: BusRedis,
    private readonly options: CensusOptions,
  ) {
    redis.defineCommand('weftPlacesEnter', { numberOfKeys: 1, lua: ENTER });
    redis.defineCommand('weftPlacesTell', { lua: TELL });
    this.redis = redis as ScriptRedis;
    this.goodForMs = options.goodForMs ?? GOOD_FOR_MS;
  }

  async enter(userId: string, own: number, most: number): Promise<number | null> {
    const { gateway, onSilence } = this.options;
    let impatient: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      impatient = setTimeout(() => reject(new Error(`Redis did not answer within ${DEADLINE_MS} ms`)), DEADLINE_MS);
    });
    try {
      const asked = this.redis.weftPlacesEnter(this.keyOf(userId), gateway, own, this.goodForMs, most);
      return await Promise.race([asked, late]);
    } catch (error) {
      onSilence(error);
      return null;
    } finally {
      clearTimeout(impatient);
    }
  }

  async tell(counts: ReadonlyMap<string, number>): Promise<void> {
    const all = [...counts];
    const told: Promise<unknown>[] = [];
    for (let at = 0; at < all.length; at += USERS_AT_ONCE) {
      const some = all.slice(at, at + USERS_AT_ONCE);
      const keys = some.map(([userId]) => this.keyOf(userId));
      const sockets = some.map(([, count]) => count);
      // none waits for the one before: what is told later arrives later
      told.push(this.redis.weftPlacesTell(keys.length, ...keys, this.options.gateway, this.goodForMs, ...sockets));
    }
    await Promise.allSettled(told);
  }

  onLoss(listener: () => void): () => void {
    this.redis.on('ready', listener); // a Redis that was away may have lost everything
    return () => void this.redis.off('ready', listener);
  }

  /** One hash slot, so that many are told together. */
  private keyOf(userId: string): string {
    return `{${this.options.prefix}:sockets}:${userId}`;
  }
}
