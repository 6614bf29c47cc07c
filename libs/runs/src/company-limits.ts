import { LRUCache } from 'lru-cache';

const REREAD_EVERY_MS = 5_000;
const MAX_COMPANIES = 10_000;

interface Known {
  readonly backlogMax: number;
  readonly readAtMs: number;
}

/**
 * How many plays of each company may wait: its own limit, which operators set, otherwise that of the installation. It answers at once and
 * reads in the background, and only for companies that somebody asks for: no run waits for it. A change applies within about five
 * seconds.
 */
export class CompanyLimits {
  private readonly known = new LRUCache<string, Known>({ max: MAX_COMPANIES });

  /** @param readOwn the limit that the company has; null: none */
  constructor(
    private readonly otherwise: number,
    private readonly readOwn: (companyId: string) => Promise<number | null>,
  ) {}

  backlogMax(companyId: string): number {
    const known = this.known.get(companyId);
    const backlogMax = known?.backlogMax ?? this.otherwise;
    if (!known || performance.now() - known.readAtMs > REREAD_EVERY_MS) this.read(companyId, backlogMax);
    return backlogMax;
  }

  private read(companyId: string, until: number): void {
    const readAtMs = performance.now();
    this.known.set(companyId, { backlogMax: until, readAtMs });
    this.readOwn(companyId).then(
      (own) => void this.known.set(companyId, { backlogMax: own ?? this.otherwise, readAtMs }),
      () => undefined, // MongoDB is unreachable: the last known limit stays
    );
  }
}
