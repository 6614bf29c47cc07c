import { approximateBytes, ReadThroughCache, type CacheView } from '@weft/concurrency';
import { FLOW_FACE, isFaceFault, type Face, type FaceFault, type Faces } from '@weft/layers';
import {
  readFaceKey,
  serverOf,
  type ApiHead,
  type ApiKind,
  type ApiRepository,
  type OperationFaces,
} from '@weft/records';
import { TenantScope } from '@weft/store';

/** APIs that are called at the same time. */
const MAX_APIS = 10_000;

/** What faces depend on besides the operation: the id of the API, and where it is. */
interface NamedApi {
  readonly id: string;
  readonly where: string;
}

/** The faces that plays run with: an operation in a certain state never changes, and its API is read again after a second. */
export class FacesInUse {
  private readonly apis: ReadThroughCache<{ readonly head: NamedApi | null }>;

  constructor(
    private readonly faces: Pick<OperationFaces, 'findOne'>,
    apis: Pick<ApiRepository, 'findNamed'>,
    private readonly kept: Pick<CacheView<Face>, 'get' | 'set'>,
    monotonicMs: () => number = () => performance.now(),
  ) {
    this.apis = new ReadThroughCache({
      max: MAX_APIS,
      monotonicMs,
      ask: async (keys) =>
        new Map(
          await Promise.all(
            keys.map(async (key) => {
              const [companyId = '', kind = '', name = ''] = key.split('/');
              const found = await apis.findNamed(new TenantScope(companyId), kind as ApiKind, name);
              return [key, { head: found && { id: found._id, where: whereOf(found) } }] as const;
            }),
          ),
        ),
    });
  }

  async find(scope: TenantScope, keys: readonly string[]): Promise<Faces> {
    const found = new Map<string, Face | FaceFault>();
    for (const key of keys) found.set(key, await this.findOne(scope, key));
    return found;
  }

  private async findOne(scope: TenantScope, key: string): Promise<Face | FaceFault> {
    const { companyId } = scope;
    if (key.startsWith(FLOW_FACE)) return this.ofFlow(scope, key);
    const named = readFaceKey(key);
    const api = named && (await this.apis.get(`${companyId}/${named.kind}/${named.api}`));
    // without a digest, the state that is current now is meant
    const isPinned = named?.digest !== undefined && api?.head;
    const place = isPinned ? `${companyId}/${api.head.id}/${api.head.where}/${key}` : null;
    const known = place === null ? undefined : this.kept.get(place);
    if (known) return known;
    const face = await this.faces.findOne(scope, key);
    // the API may have been changed since it was read
    if (place !== null && !isFaceFault(face) && whereIn(face) === api?.head?.where)
      this.kept.set(place, face, approximateBytes(face));
    return face;
  }

  /** The same one as long as nothing of it changes. */
  private async ofFlow(scope: TenantScope, key: string): Promise<Face | FaceFault> {
    const face = await this.faces.findOne(scope, key);
    if (isFaceFault(face)) return face;
    const place = `${scope.companyId}/${key}@${face.digest}`;
    const known = this.kept.get(place);
    if (!known) this.kept.set(place, face, approximateBytes(face));
    return known ?? face;
  }
}

function whereOf(api: ApiHead): string {
  return api.kind === 'mcp' ? JSON.stringify(serverOf(api)) : String(api.baseUrl);
}

function whereIn({ server, baseUrl }: Face): string {
  return server ? JSON.stringify(server) : String(baseUrl);
}
