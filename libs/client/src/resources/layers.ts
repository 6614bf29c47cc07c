import type { CallOptions, Connection } from '../http/connection.js';
import { withVersion, type ChangeOptions } from './flows.js';
import type { BodyOf, Layer } from './schemas.js';

const ALL = '/api/v1/flows/{flowId}/layers';
const ONE = '/api/v1/flows/{flowId}/layers/{layerId}';

/** The layers of a flow, in the order in which they are executed. */
export class Layers {
  constructor(private readonly connection: Connection) {}

  list(flowId: string, options: CallOptions = {}): Promise<Layer[]> {
    return this.connection.call(options, (api, init) => api.GET(ALL, { params: { path: { flowId } }, ...init }));
  }

  create(flowId: string, body: BodyOf<'Layers_create'>, options: ChangeOptions = {}): Promise<Layer> {
    return this.connection.call(withVersion(options), (api, init) =>
      api.POST(ALL, { params: { path: { flowId } }, body, ...init }),
    );
  }

  update(flowId: string, layerId: string, body: BodyOf<'Layers_patch'>, options: ChangeOptions = {}): Promise<Layer> {
    return this.connection.call(withVersion(options), (api, init) =>
      api.PATCH(ONE, { params: { path: { flowId, layerId } }, body, ...init }),
    );
  }

  async delete(flowId: string, layerId: string, options: ChangeOptions = {}): Promise<void> {
    await this.connection.call(withVersion(options), (api, init) =>
      api.DELETE(ONE, { params: { path: { flowId, layerId } }, ...init }),
    );
  }

  /** @param layerIds all of them */
  reorder(flowId: string, layerIds: readonly string[], options: ChangeOptions = {}): Promise<Layer[]> {
    return this.connection.call(withVersion(options), (api, init) =>
      api.PUT('/api/v1/flows/{flowId}/layers/order', {
        params: { path: { flowId } },
        body: { layerIds: [...layerIds] },
        ...init,
      }),
    );
  }
}
