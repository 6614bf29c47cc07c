import { approximateBytes, ReadThroughCache, type CacheView } from '@weft/concurrency';
import { isFaceFault, type Face, type FaceFault, type Faces } from '@weft/layers';
import type { ApiHead, ApiRepository, OperationFaces } from '@weft/records';
import { TenantScope } from '@weft/store';

/** APIs that are called at the same time. */
const MAX_APIS = 10_000;

/** What faces depend on besides the operation. */
type NamedApi = Pick<ApiHead, '_id' | 'baseUrl'>;

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
              const [companyId = '', name = ''] = key.split('/');
              const found = await apis.findNamed(new TenantScope(companyId), name);
              return [key, { head: found && { _id: found._id, baseUrl: found.baseUrl } }] as const;
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
    const api = await this.apis.get(`${companyId}/${key.split('/')[0]}`);
    // without a digest, the state that is current now is meant
    const isPinned = key.includes('@') && api?.head;
    const place = isPinned ? `${companyId}/${api.head._id}/${api.head.baseUrl}/${key}` : null;
    const known = place === null ? undefined : this.kept.get(place);
    if (known) return known;
    const face = await this.faces.findOne(scope, key);
    // the API may have been changed since it was read
    if (place !== null && !isFaceFault(face) && face.baseUrl === api?.head?.baseUrl)
      this.kept.set(place, face, approximateBytes(face));
    return face;
  }
}
