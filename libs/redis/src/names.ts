/** Every Redis key and channel name except those of the run path (`QueueKeys`), built in one place. */
export class RedisNames {
  /** @param prefix `QUEUE_PREFIX`; processes with another prefix share nothing */
  constructor(private readonly prefix: string) {}

  /** Channel: caches drop an entry. */
  get invalidations(): string {
    return `${this.prefix}:invalidations`;
  }

  /** Channel: workers read plays again. */
  get signals(): string {
    return `${this.prefix}:signals`;
  }

  /** Channels of notices of plays, one for each company: this text, then the company's id. */
  get notices(): string {
    return `${this.prefix}:plays:`;
  }

  /** Channels of the progress of layers, one for each company: this text, then the company's id. */
  get progress(): string {
    return `${this.prefix}:progress:`;
  }

  /** Channel: workers hear of layers to try, and of those that nobody waits for any more. */
  get tries(): string {
    return `${this.prefix}:tries`;
  }

  /** Channel: answers to the layers that a process has asked to try. */
  tryAnswers(replica: string): string {
    return `${this.prefix}:tries:${replica}`;
  }

  /** A layer to try, until a worker takes it; expires. */
  layerTry(id: string): string {
    return `${this.prefix}:try:${id}`;
  }

  /** What a user has taken of the layers that may be tried, and all users of the company together; in one hash slot. */
  tryRates(companyId: string, userId: string): readonly [user: string, company: string] {
    const slot = `{${this.prefix}:tries:${companyId}}`;
    return [`${slot}:${userId}`, slot];
  }

  /** Written to find out whether Redis accepts writes; expires. */
  health(processName: string): string {
    return `${this.prefix}:health:${processName}`;
  }

  /** Counters of sign-ins, all in one hash slot. @param name a digest: Redis contains no address of anybody */
  loginCounters(name: string): readonly [failures: string, pending: string] {
    return [`{${this.prefix}:logins}:f:${name}`, `{${this.prefix}:logins}:p:${name}`];
  }

  /** What the deliveries of a trigger and of its company have taken of their rates; those of a company in one hash slot. */
  deliveryRates(companyId: string, triggerId: string): readonly [trigger: string, company: string] {
    const slot = `{${this.prefix}:deliveries:${companyId}}`;
    return [`${slot}:${triggerId}`, slot];
  }

  /** What a company has taken of the runs that it may start. */
  runRate(companyId: string): string {
    return `{${this.prefix}:runs:${companyId}}`;
  }

  /** What an API key has taken of the plays that it may start through MCP, and all of its company's keys together. */
  mcpRates(companyId: string, keyId: string): readonly [key: string, company: string] {
    const slot = `{${this.prefix}:mcp:${companyId}}`;
    return [`${slot}:${keyId}`, slot];
  }

  /**
   * What is known of a rate limit of calls; those of a company in one hash slot.
   *
   * @param limit a destination, or the id of a link
   * @param rate when it changes, the calls still count, and the queue begins anew
   */
  callRate(companyId: string, limit: string, rate: string): readonly [calls: string, queue: string] {
    const key = `{${this.prefix}:calls:${companyId}}:${limit}`;
    return [key, `${key}:queue:${rate}`];
  }

  /** The hash of a user's open sockets. All users are in one hash slot, so that one command can update many. */
  sockets(userId: string): string {
    return `{${this.prefix}:sockets}:${userId}`;
  }
}
