import type { CallOptions, Connection } from '../http/connection.js';
import { Pages } from '../http/pages.js';
import type { BodyOf, FiltersOf, Schemas } from './schemas.js';

const ALL = '/api/v1/admin/api-keys';
const ONE = '/api/v1/admin/api-keys/{key_id}';

export class Keys {
  constructor(private readonly connection: Connection) {}

  list(filters: FiltersOf<typeof ALL> = {}, options: CallOptions = {}): Pages<Schemas['ApiKey']> {
    return new Pages((cursor) =>
      this.connection.call(options, (api, init) =>
        api.GET(ALL, { params: { query: { ...filters, cursor } }, ...init }),
      ),
    );
  }

  /** Its `token` is shown this once. */
  create(body: BodyOf<'ApiKeys_create'>, options: CallOptions = {}): Promise<Schemas['NewApiKey']> {
    return this.connection.call(options, (api, init) => api.POST(ALL, { body, ...init }));
  }

  async revoke(id: string, options: CallOptions = {}): Promise<void> {
    await this.connection.call(options, (api, init) => api.DELETE(ONE, { params: { path: { key_id: id } }, ...init }));
  }
}
