import type { Redis } from 'ioredis';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  LOGIN_LIMITS,
  LOGIN_WINDOW_MS,
  tooManyAttempts,
  type LoginAttempt,
  type LoginThrottle,
} from './login-throttle.js';

/** An attempt that has not ended by then died with its process: what it held is free again. */
const PENDING_MS = 10_000;
const ASK_AGAIN_MS = 25;
/** For as long as other attempts that might fail are looked at; a password takes some 0.3 s. */
const PATIENCE_MS = 5_000;

/** KEYS: failures and pending of pair, account, address. ARGV: their limits, ms of pending. Gives -1 go on, -2 wait, else ms closed. */
const BEGIN = `
local closed = 0
local crowded = false
for i = 1, 3 do
  local failures = tonumber(redis.call('GET', KEYS[2 * i - 1]) or '0')
  local pending = tonumber(redis.call('GET', KEYS[2 * i]) or '0')
  local limit = tonumber(ARGV[i])
  if failures >= limit then closed = math.max(closed, redis.call('PTTL', KEYS[2 * i - 1]), 1) end
  if failures + pending >= limit then crowded = true end
end
if closed > 0 then return closed end
if crowded then return -2 end
for i = 1, 3 do
  redis.call('INCR', KEYS[2 * i])
  redis.call('PEXPIRE', KEYS[2 * i], ARGV[4])
end
return -1`;

/** KEYS as above. ARGV: 1 when it failed, ms of the window. */
const END = `
for i = 1, 3 do
  local pending = tonumber(redis.call('GET', KEYS[2 * i]) or '0')
  if pending > 1 then redis.call('DECR', KEYS[2 * i]) else redis.call('DEL', KEYS[2 * i]) end
  if ARGV[1] == '1' and redis.call('INCR', KEYS[2 * i - 1]) == 1 then
    redis.call('PEXPIRE', KEYS[2 * i - 1], ARGV[2])
  end
end
return 0`;

const GO_ON = -1;
const WAIT = -2;

type ScriptRedis = Redis & {
  weftLoginBegin(...args: (string | number)[]): Promise<number>;
  weftLoginEnd(...args: (string | number)[]): Promise<number>;
};

/**
 * The throttle of sign-ins over all replicas: each keeps its own, and they share one in Redis. While Redis is down the own
 * one goes on by itself, so that a limit is exceeded at most by the number of replicas.
 */
export class SharedLoginThrottle {
  private readonly redis: ScriptRedis;

  /** @param prefix of the Redis keys; processes with another one count apart */
  constructor(
    private readonly own: Pick<LoginThrottle, 'begin'>,
    redis: Redis,
    private readonly prefix: string,
  ) {
    redis.defineCommand('weftLoginBegin', { numberOfKeys: 6, lua: BEGIN });
    redis.defineCommand('weftLoginEnd', { numberOfKeys: 6, lua: END });
    this.redis = redis as ScriptRedis;
  }

  /**
   * @param account folded, known or not
   * @throws WeftError `too_many_attempts` with the seconds until the limit's minute is over
   */
  async begin(account: string, address: string): Promise<LoginAttempt> {
    const attempt = await this.own.begin(account, address);
    const keys = this.keysOf(account, address);
    try {
      const shared = await this.reserve(keys);
      return {
        end: (failed) => {
          attempt.end(failed);
          // lost with Redis: the own throttle has counted it
          if (shared) this.redis.weftLoginEnd(...keys, failed ? 1 : 0, LOGIN_WINDOW_MS).catch(() => undefined);
        },
      };
    } catch (error) {
      attempt.end(false);
      throw error;
    }
  }

  /** @returns false when Redis could not be asked */
  private async reserve(keys: readonly string[]): Promise<boolean> {
    const { pair, account, address } = LOGIN_LIMITS;
    const impatientAtMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const said = await this.redis.weftLoginBegin(...keys, pair, account, address, PENDING_MS).catch(() => null);
      if (said === null) return false;
      if (said === GO_ON) return true;
      if (said !== WAIT) throw tooManyAttempts(said);
      if (performance.now() > impatientAtMs) throw tooManyAttempts(1_000);
      await sleep(ASK_AGAIN_MS);
    }
  }

  /** One hash slot, and no address of anybody in Redis. */
  private keysOf(account: string, address: string): string[] {
    return [`p ${address} ${account}`, `a ${account}`, `i ${address}`].flatMap((text) => {
      const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
      return [`{${this.prefix}:logins}:f:${name}`, `{${this.prefix}:logins}:p:${name}`];
    });
  }
}
