import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import { CLOCK, WeftError, type Clock } from '@weft/kernel';
import { REDIS, RedisNames, SharedRates, type Redis } from '@weft/redis';

/** A minute's worth may be taken at once. */
const BURST_SECONDS = 60;
/** A second, of all keys of a company together: the backlog limits them, too. */
const COMPANY_RATE = 1_000;

/** Limits the plays that an API key starts through MCP (`plays_per_minute`), over all replicas. */
@Injectable()
export class PlayBudget {
  private readonly rates: SharedRates;
  private readonly names: RedisNames;

  constructor(@Inject(SETTINGS) { queue }: Settings, @Inject(REDIS) redis: Redis, @Inject(CLOCK) clock: Clock) {
    this.rates = new SharedRates(redis, clock);
    this.names = new RedisNames(queue.prefix);
  }

  /** @throws WeftError `too_many_plays` with the seconds until there is room */
  async take({ companyId, credentialId, mcp }: Principal): Promise<void> {
    const perMinute = mcp?.plays_per_minute;
    if (perMinute === undefined) return;
    const keys = this.names.mcpRates(companyId, credentialId);
    const waitMs = await this.rates.take(keys, [perMinute / 60, COMPANY_RATE], BURST_SECONDS);
    if (waitMs <= 0) return;
    const seconds = Math.ceil(waitMs / 1_000);
    const detail = `This API key starts at most ${perMinute} plays in a minute. Wait ${seconds} s, then call again.`;
    throw new WeftError('too_many_plays', detail, { retryAfterSeconds: seconds });
  }
}
