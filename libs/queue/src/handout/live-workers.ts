import type { QueueKeys, Redis } from '@weft/redis';

const ALIVE_MS = 20_000;
const LOOK_EVERY_MS = 2_000;
const LEAST_WINDOW = 64;

/** What a worker reports about itself. */
export interface WorkerSign {
  readonly slots: number;
  readonly version?: string;
  /** Epoch ms. */
  readonly startedAt?: number;
  /** Plays that it executes. */
  readonly running?: number;
  /** The most plays that it takes in one job; absent: one. */
  readonly playsPerJob?: number;
  /** It executes the plays of companies with this label alone; absent: of those without one. */
  readonly label?: string;
}

export interface LiveWorker extends WorkerSign {
  readonly id: string;
  /** Epoch ms, by MongoDB's clock. */
  readonly at: number;
}

export interface LiveWorkersOptions {
  /** The window's size; 0: it follows from the number of workers (`RUN_WINDOW`). */
  readonly fixedWindow: number;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
}

/** What the live workers with one label, or without one, have together. */
interface Crew {
  readonly slots: number;
  readonly alive: number;
  /** The most plays in a job that every one of them takes. */
  readonly mostPerJob: number;
}

const NOBODY: Crew = { slots: 0, alive: 0, mostPerJob: 1 };

/**
 * Which workers are alive and how many plays each executes at a time. The window's size and the number of plays in a job are
 * derived from that.
 */
export class LiveWorkers {
  private crews: ReadonlyMap<string | null, Crew> = new Map();
  private knows = false;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
    private readonly options: LiveWorkersOptions,
  ) {}

  /** A worker's sign of life; called every few seconds. */
  async announce(bootId: string, sign: WorkerSign): Promise<void> {
    const at = Math.round(this.options.serverNow());
    await this.redis.hset(this.keys.workers, bootId, JSON.stringify({ ...sign, at }));
  }

  /** The workers that are alive, in order of their start. */
  async list(): Promise<LiveWorker[]> {
    const nowMs = this.options.serverNow();
    const all = Object.entries(await this.redis.hgetall(this.keys.workers));
    return all
      .map(([id, text]) => ({ id, ...(JSON.parse(text) as WorkerSign & { readonly at: number }) }))
      .filter(({ at }) => nowMs - at < ALIVE_MS)
      .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
  }

  async leave(bootId: string): Promise<void> {
    await this.redis.hdel(this.keys.workers, bootId);
  }

  /**
   * How many plays of one company are rung for at a time: twice the live slots of its workers, at least 64; the last known value
   * while Redis is unreachable.
   */
  windowSize(label: string | null = null): number {
    const { fixedWindow } = this.options;
    if (fixedWindow > 0) return fixedWindow;
    this.lookSometimes();
    return Math.max(LEAST_WINDOW, 2 * this.crewOf(label).slots);
  }

  /**
   * How many of these plays, rung for at once, share a job: as many as the workers take, but no more than each worker's equal
   * part, so that plays that come together are spread over all workers.
   */
  playsPerJob(plays: number, label: string | null = null): number {
    this.lookSometimes();
    const { mostPerJob, alive } = this.crewOf(label);
    return Math.min(mostPerJob, Math.ceil(plays / Math.max(1, alive)));
  }

  /**
   * A promise until Redis answered for the first time: a process that has just started knows no slots, and would refuse plays that
   * there is room for.
   */
  onceKnown(): void | Promise<void> {
    if (this.options.fixedWindow > 0 || this.knows) return;
    return this.look().catch(() => undefined);
  }

  /** How many workers are alive, whatever their labels; the last known number while Redis is unreachable, 0 before it answered. */
  count(): number {
    this.lookSometimes();
    return [...this.crews.values()].reduce((sum, { alive }) => sum + alive, 0);
  }

  /** The current value. @throws while Redis is unreachable */
  async windowSizeNow(label: string | null = null): Promise<number> {
    if (this.options.fixedWindow === 0) await this.look();
    return this.windowSize(label);
  }

  private crewOf(label: string | null): Crew {
    return this.crews.get(label) ?? NOBODY;
  }

  private lookSometimes(): void {
    if (performance.now() - this.lookedAt <= LOOK_EVERY_MS) return;
    void this.look().catch(() => undefined); // the last known value stays
  }

  private async look(): Promise<void> {
    const nowMs = this.options.serverNow();
    this.lookedAt = performance.now();
    const all = await this.redis.hgetall(this.keys.workers);
    const signs: WorkerSign[] = [];
    for (const [bootId, text] of Object.entries(all)) {
      const sign = JSON.parse(text) as WorkerSign & { readonly at: number };
      if (nowMs - sign.at < ALIVE_MS) signs.push(sign);
      else await this.leave(bootId);
    }
    const byLabel = Map.groupBy(signs, ({ label }) => label ?? null);
    this.crews = new Map([...byLabel].map(([label, crew]) => [label, crewOf(crew)]));
    this.knows = true;
  }
}

/** Those that execute the plays of companies with this label; null: of those without one. */
export function workersOf<T extends Pick<WorkerSign, 'label'>>(workers: readonly T[], label: string | null): T[] {
  return workers.filter((worker) => (worker.label ?? null) === label);
}

function crewOf(signs: readonly WorkerSign[]): Crew {
  return {
    slots: signs.reduce((sum, { slots }) => sum + slots, 0),
    alive: signs.length,
    mostPerJob: Math.min(...signs.map(({ playsPerJob = 1 }) => playsPerJob)),
  };
}
