import { approximateBytes, SingleFlight, type CacheView } from '@weft/concurrency';
import type { FlowVersion } from '@weft/engine';
import { faceKeysOf, prepareVersion, type Faces, type PreparedVersion } from '@weft/layers';
import { SystemScope, TenantScope } from '@weft/store';
import { type CompanyRepository, type FlowVersionRepository } from '@weft/records';
import type { FacesInUse } from './faces-in-use.js';

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
    private readonly playUrl: PreparedVersion['playUrl'],
    private readonly faces: Pick<FacesInUse, 'find'>,
  ) {}

  /** Null: there is no such version. @throws UnreadableVersion */
  get(companyId: string, flowId: string, version: number): PreparedVersion | Promise<PreparedVersion | null> {
    const key = `${flowId}:${version}`;
    const known = this.prepared.get(key);
    if (known?.faces.size === 0) return known;
    return this.loads.run(key, () => (known ? this.current(known) : this.load(companyId, flowId, version)));
  }

  /** With what its layers name now: an operation stays what it is, but its API may be changed or gone. */
  private async current(known: PreparedVersion): Promise<PreparedVersion> {
    const { version, companyName } = known;
    const faces = await this.faces.find(new TenantScope(version.companyId), [...known.faces.keys()]);
    if ([...faces].every(([key, face]) => known.faces.get(key) === face)) return known;
    return this.keep(version, companyName, faces);
  }

  private async load(companyId: string, flowId: string, version: number): Promise<PreparedVersion | null> {
    const scope = new TenantScope(companyId);
    const [found, companies] = await Promise.all([
      this.versions.find(scope, flowId, version),
      this.companies.findMany(SYSTEM, [companyId]),
    ]);
    if (!found) return null;
    const faces = await this.faces.find(scope, faceKeysOf(found.layers));
    return this.keep(found, companies[0]?.name ?? '', faces);
  }

  private keep(version: FlowVersion, companyName: string, faces: Faces): PreparedVersion {
    const prepared = this.prepare(version, companyName, faces);
    // other versions may hold the same faces: it is only known that this one does
    const ofFaces = [...faces.values()].reduce((sum, face) => sum + approximateBytes(face), 0);
    const bytes = BYTES_FOR_ONE * approximateBytes(version) + ofFaces;
    this.prepared.set(`${version.flowId}:${version.version}`, prepared, bytes);
    return prepared;
  }

  private prepare(version: FlowVersion, companyName: string, faces: Faces): PreparedVersion {
    try {
      return prepareVersion(version, companyName, this.playUrl, faces);
    } catch (error) {
      throw new UnreadableVersion(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}
