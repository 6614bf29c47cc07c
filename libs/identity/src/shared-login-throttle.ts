import { RedisNames, Scripts, type LoginKeys, type Redis } from '@weft/redis';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  LOGIN_LIMITS,
  LOGIN_WINDOW_MS,
  tooManyAttempts,
  type LoginAttempt,
  type LoginThrottle,
} from './login-throttle.js';

/** An attempt that takes longer died with its process: its reservation is released. */
const PENDING_MS = 10_000;
const POLL_EVERY_MS = 25;
/** How long an attempt waits for others that may still fail; checking a password takes some 0.3 s. */
const MAX_WAIT_MS = 5_000;

const GO_ON = -1;
const WAIT = -2;

/**
 * Limits failed sign-ins over all replicas: each counts its own, and all share counts in Redis. While Redis is down each
 * replica's own limit still applies, so that a limit is exceeded at most by the factor of the number of replicas.
 */
export class SharedLoginThrottle {
  private readonly scripts: Scripts;
  private readonly names: RedisNames;

  /** @param prefix of the Redis keys; processes with another prefix count separately */
  constructor(
    private readonly own: Pick<LoginThrottle, 'begin'>,
    redis: Redis,
    prefix: string,
  ) {
    this.scripts = new Scripts(redis);
    this.names = new RedisNames(prefix);
  }

  /**
   * @param account normalized, whether it exists or not
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
          // a failure is ignored: this replica's own throttle has counted the attempt
          if (!shared) return;
          this.scripts.one('endLogin', { keys, args: [failed ? 1 : 0, LOGIN_WINDOW_MS] }).catch(() => undefined);
        },
      };
    } catch (error) {
      attempt.end(false);
      throw error;
    }
  }

  /** @returns false when Redis is unreachable */
  private async reserve(keys: LoginKeys): Promise<boolean> {
    const { pair, account, address } = LOGIN_LIMITS;
    const args = [pair, account, address, PENDING_MS] as const;
    const impatientAtMs = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const said = await this.scripts.one('beginLogin', { keys, args }).catch(() => null);
      if (said === null) return false;
      if (said === GO_ON) return true;
      if (said !== WAIT) throw tooManyAttempts(said);
      if (performance.now() > impatientAtMs) throw tooManyAttempts(1_000);
      await sleep(POLL_EVERY_MS);
    }
  }

  private keysOf(account: string, address: string): LoginKeys {
    return [
      ...this.countersOf(`p ${address} ${account}`),
      ...this.countersOf(`a ${account}`),
      ...this.countersOf(`i ${address}`),
    ];
  }

  private countersOf(text: string): readonly [failures: string, pending: string] {
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    return this.names.loginCounters(name);
  }
}
