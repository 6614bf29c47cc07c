import { prepareVersion, type PreparedVersion } from '@weft/layers';
import { SystemScope, TenantScope, type CompanyRepository, type FlowVersionRepository } from '@weft/persistence';
import { LRUCache } from 'lru-cache';

const SYSTEM = new SystemScope('a worker runs the plays of all companies');
const MAX_VERSIONS = 2_000;
/** A company's name may change; a version never does. */
const MAX_AGE_MS = 5 * 60_000;

/** Versions of flows by id and number; immutable, so a hit needs no look at MongoDB. */
export class FlowVersions {
  private readonly prepared = new LRUCache<string, PreparedVersion | Promise<PreparedVersion | null>>({
    max: MAX_VERSIONS,
    ttl: MAX_AGE_MS,
  });

  constructor(
    private readonly versions: FlowVersionRepository,
    private readonly companies: CompanyRepository,
  ) {}

  /** Null: there is no such version. */
  get(companyId: string, flowId: string, version: number): PreparedVersion | Promise<PreparedVersion | null> {
    const key = `${flowId}:${version}`;
    const known = this.prepared.get(key);
    if (known) return known;
    const loading = this.load(companyId, flowId, version).then(
      (loaded) => {
        if (loaded) this.prepared.set(key, loaded);
        else this.prepared.delete(key);
        return loaded;
      },
      (error: unknown) => {
        this.prepared.delete(key);
        throw error;
      },
    );
    this.prepared.set(key, loading);
    return loading;
  }

  private async load(companyId: string, flowId: string, version: number): Promise<PreparedVersion | null> {
    const scope = new TenantScope(companyId);
    const [found, companies] = await Promise.all([
      this.versions.find(scope, flowId, version),
      this.companies.findMany(SYSTEM, [companyId]),
    ]);
    return found && prepareVersion(found, companies[0]?.name ?? '');
  }
}
