import { approximateBytes, SingleFlight, type CacheView } from '@weft/concurrency';
import type { FlowVersion } from '@weft/engine';
import { prepareVersion, type ApprovalPlace, type PreparedVersion } from '@weft/layers';
import { SystemScope, TenantScope } from '@weft/store';
import { type CompanyRepository, type FlowVersionRepository } from '@weft/records';

const SYSTEM = new SystemScope('a worker runs the plays of all companies');
/** A prepared version keeps its definition and the compiled form of its expressions. */
const BYTES_FOR_ONE = 4;

/** A stored version that this build cannot run: another build has saved it. */
export class UnreadableVersion extends Error {
  override readonly name = 'UnreadableVersion';
}

/**
 * Versions of flows by id and number. They are immutable, so a hit needs no query. Only the company's name in them may
 * change: it is read again with the version, when the cache's lifetime for definitions is over.
 */
export class FlowVersions {
  private readonly loads = new SingleFlight<string, PreparedVersion | null>();

  constructor(
    private readonly versions: Pick<FlowVersionRepository, 'find'>,
    private readonly companies: Pick<CompanyRepository, 'findMany'>,
    private readonly prepared: Pick<CacheView<PreparedVersion>, 'get' | 'set'>,
    private readonly approvalUrl: (place: ApprovalPlace) => string,
  ) {}

  /** Null: there is no such version. @throws UnreadableVersion */
  get(companyId: string, flowId: string, version: number): PreparedVersion | Promise<PreparedVersion | null> {
    const key = `${flowId}:${version}`;
    return this.prepared.get(key) ?? this.loads.run(key, () => this.load(companyId, flowId, version));
  }

  private async load(companyId: string, flowId: string, version: number): Promise<PreparedVersion | null> {
    const scope = new TenantScope(companyId);
    const [found, companies] = await Promise.all([
      this.versions.find(scope, flowId, version),
      this.companies.findMany(SYSTEM, [companyId]),
    ]);
    if (!found) return null;
    const prepared = this.prepare(found, companies[0]?.name ?? '');
    this.prepared.set(`${flowId}:${version}`, prepared, BYTES_FOR_ONE * approximateBytes(found));
    return prepared;
  }

  private prepare(version: FlowVersion, companyName: string): PreparedVersion {
    try {
      return prepareVersion(version, companyName, this.approvalUrl);
    } catch (error) {
      throw new UnreadableVersion(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}
