import { Batch, Scripts, type QueueKeys, type Redis } from '@weft/redis';

/** How many plays of a company are rung for at a time. */
export type WindowSizeOf = (companyId: string) => number;

/** A request for room for plays of a company. */
export interface RoomRequest {
  /** In the order in which they get it. */
  readonly ids: readonly string[];
  /** How many more plays of the company are known to wait. */
  readonly more?: number;
  /** It takes room although others wait. Default: no waiting play is overtaken. */
  readonly isRefill?: boolean;
  /** The caller asks again for those that find no room, or marks them: they do not wait yet. Default: they do. */
  readonly asksAgain?: boolean;
}

export interface TakenRoom {
  /** The plays that have room now. */
  readonly ids: ReadonlySet<string>;
  /** Of these, the ones that had none before. */
  readonly fresh: readonly string[];
}

export interface RoomReply extends TakenRoom {
  /** What is left. */
  readonly room: number;
  /** Plays wait for room, and no new one gets any until a refill has found them all. */
  readonly waits: boolean;
}

/** How full the window of a company is. */
export interface WindowFill {
  readonly rung: number;
  readonly waits: boolean;
}

/** A refill that takes longer counts as dead. If it is alive, a second one in parallel does the same work again. */
const REFILL_LOCK_MS = 5_000;
/** Ids in one command. */
const PIECE = 1_000;
/** At a half, the queue would run empty during a refill: the workers hold half a window. */
const REFILL_BELOW = 3 / 4;

/** Whether a refill is due when a play of the company ends, or finds no room. */
export function isRefillDue({ rung, waits }: WindowFill, windowSize: number): boolean {
  return waits && rung < windowSize * REFILL_BELOW;
}

/**
 * Bounds how many plays of a company are rung for at a time, so that no play waits for another company's backlog, and Redis
 * stays small however long the backlog is. Redis keeps the set of plays that were rung for and have not ended, and whether
 * others wait; which ones, MongoDB knows.
 */
export class AdmissionWindow {
  private readonly scripts: Scripts;

  /** @param isStopped plays of the company get no room, and those that have it keep it */
  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
    readonly isStopped: (companyId: string) => boolean | Promise<boolean> = () => false,
  ) {
    this.scripts = new Scripts(redis);
  }

  /**
   * Takes room for plays, by company, in one round trip. A company for which Redis failed is missing from the result.
   *
   * @throws when Redis failed for all companies
   */
  async takeRoom(sizeOf: WindowSizeOf, groups: ReadonlyMap<string, RoomRequest>): Promise<Map<string, RoomReply>> {
    const stopped = await this.stoppedOf(groups.keys());
    const calls = [...groups].map(([companyId, { ids, more = 0, isRefill = false, asksAgain = false }]) => {
      const flags = [isRefill ? 1 : 0, asksAgain ? 1 : 0] as const;
      const size = stopped.has(companyId) ? 0 : sizeOf(companyId);
      return { keys: this.keys.window(companyId), args: [size, ...flags, more, ...ids] as const };
    });
    const replies = await this.scripts.each('takeRoom', calls);
    const taken = new Map<string, RoomReply>();
    [...groups.keys()].forEach((companyId, i) => {
      const reply = replies[i];
      if (reply === undefined || reply instanceof Error) return;
      const [room, waits, count, ...ids] = reply;
      taken.set(companyId, { ids: new Set(ids), fresh: ids.slice(0, count), room, waits: waits === 1 });
    });
    return taken;
  }

  private async stoppedOf(companyIds: Iterable<string>): Promise<ReadonlySet<string>> {
    const ids = [...companyIds];
    const answers = await Promise.all(ids.map(async (id) => this.isStopped(id))); // what is unknown is read by one query
    return new Set(ids.filter((_, i) => answers[i]));
  }

  /** Removes ended plays from the windows of companies. Returns how full each is then. */
  async finish(groups: ReadonlyMap<string, readonly string[]>): Promise<Map<string, WindowFill>> {
    const removals = new Batch(this.redis);
    for (const [companyId, ids] of groups) {
      const key = this.keys.windowRung(companyId);
      for (const piece of inPieces(ids)) removals.of(key).srem(key, ...piece);
    }
    const [, fill] = await Promise.all([removals.answers(), this.fill([...groups.keys()])]);
    return fill;
  }

  async fill(companyIds: readonly string[]): Promise<Map<string, WindowFill>> {
    const batch = new Batch(this.redis);
    for (const companyId of companyIds) {
      const [rung, waits] = this.keys.window(companyId);
      batch.of(rung).scard(rung);
      batch.of(waits).exists(waits);
    }
    const replies = await batch.answers();
    return new Map(
      companyIds.map((companyId, i) => [companyId, { rung: Number(replies[2 * i]), waits: replies[2 * i + 1] === 1 }]),
    );
  }

  /** @returns false: another process is refilling this company */
  async lockRefill(companyId: string): Promise<boolean> {
    return (await this.redis.set(this.keys.windowRefill(companyId), '1', 'PX', REFILL_LOCK_MS, 'NX')) === 'OK';
  }

  async unlockRefill(companyId: string): Promise<void> {
    await this.redis.del(this.keys.windowRefill(companyId));
  }

  /** New plays take room again: a refill has found all that wait. */
  async openTo(companyId: string): Promise<void> {
    await this.redis.del(this.keys.windowWaits(companyId));
  }

  /** The company is gone. */
  async forget(companyId: string): Promise<void> {
    await this.redis.del(...this.keys.window(companyId), this.keys.windowRefill(companyId));
  }

  /** The plays that take up room in the window now. */
  rung(companyId: string): Promise<string[]> {
    return this.redis.smembers(this.keys.windowRung(companyId));
  }
}

function inPieces(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / PIECE) }, (_, i) => ids.slice(i * PIECE, (i + 1) * PIECE));
}
