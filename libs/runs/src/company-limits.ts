import { ReadThroughCache } from '@weft/concurrency';
import { LRUCache } from 'lru-cache';

/** What operators have set for a company. */
export interface CompanyRules {
  /** It is stopped: none of its waiting plays goes on. */
  readonly isStopped: boolean;
  /** How many of its plays may wait; null: as many as the installation says. */
  readonly backlogMax: number | null;
  /** How many runs it may start in a second; null: any number. */
  readonly runsPerSecond: number | null;
  /** How many bytes of plays, files and large values it may store; null: any number. */
  readonly bytesMax: number | null;
  /** How many it stored when they were counted last. */
  readonly bytesStored: number;
  /** The workers with this label execute its plays, and no others; null: those without one. */
  readonly workerLabel: string | null;
}

const MAX_COMPANIES = 10_000;
const NONE: CompanyRules = {
  isStopped: false,
  backlogMax: null,
  runsPerSecond: null,
  bytesMax: null,
  bytesStored: 0,
  workerLabel: null,
};

/** What holds for the runs of each company, at most a second old. A company that does not exist has no rules. */
export class CompanyLimits {
  private readonly reads: ReadThroughCache<CompanyRules>;
  private readonly known = new LRUCache<string, CompanyRules>({ max: MAX_COMPANIES });

  constructor(
    private readonly otherwise: number,
    read: (companyIds: readonly string[]) => Promise<ReadonlyMap<string, CompanyRules>>,
  ) {
    this.reads = new ReadThroughCache({
      ask: async (ids) => {
        const found = await read(ids);
        const rules = new Map(ids.map((id) => [id, found.get(id) ?? NONE]));
        for (const [id, each] of rules) this.known.set(id, each);
        return rules;
      },
      monotonicMs: () => performance.now(),
      max: MAX_COMPANIES,
    });
  }

  /** Answers at once with what was read last, and reads in the background: no run waits for it. */
  backlogMax(companyId: string): number {
    return this.lastKnown(companyId).backlogMax ?? this.otherwise;
  }

  /** A promise only when the store must be read. It rejects while the store is unreachable. */
  isStopped(companyId: string): boolean | Promise<boolean> {
    const rules = this.reads.get(companyId);
    return rules instanceof Promise ? rules.then((found) => found?.isStopped === true) : rules.isStopped;
  }

  /** The same. */
  workerLabel(companyId: string): string | null | Promise<string | null> {
    const rules = this.reads.get(companyId);
    return rules instanceof Promise ? rules.then((found) => found?.workerLabel ?? null) : rules.workerLabel;
  }

  /** They have changed: they are read again. */
  drop(companyId: string): void {
    this.reads.drop(companyId);
    if (this.known.has(companyId)) this.lastKnown(companyId);
  }

  /** At once. */
  lastKnown(companyId: string): CompanyRules {
    const rules = this.reads.get(companyId);
    if (!(rules instanceof Promise)) return rules;
    rules.catch(() => undefined); // MongoDB is unreachable: what is known stays
    return this.known.get(companyId) ?? NONE;
  }
}
