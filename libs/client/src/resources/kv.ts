import type { CallOptions, Connection } from '../http/connection.js';
import { Pages } from '../http/pages.js';
import type { BodyOf, FiltersOf, Schemas } from './schemas.js';

const ONE = '/api/v1/kv/{key}';

/** The company's key-value store. */
export class Kv {
  constructor(private readonly connection: Connection) {}

  list(filters: FiltersOf<'/api/v1/kv'> = {}, options: CallOptions = {}): Pages<Schemas['KvEntry']> {
    return new Pages((cursor) =>
      this.connection.call(options, (api, init) =>
        api.GET('/api/v1/kv', { params: { query: { ...filters, cursor } }, ...init }),
      ),
    );
  }

  get(key: string, options: CallOptions = {}): Promise<Schemas['KvEntry']> {
    return this.connection.call(options, (api, init) => api.GET(ONE, { params: { path: { key } }, ...init }));
  }

  set(key: string, body: BodyOf<'Kv_set'>, options: CallOptions = {}): Promise<Schemas['KvEntry']> {
    return this.connection.call(options, (api, init) => api.PUT(ONE, { params: { path: { key } }, body, ...init }));
  }

  async delete(key: string, options: CallOptions = {}): Promise<void> {
    await this.connection.call(options, (api, init) => api.DELETE(ONE, { params: { path: { key } }, ...init }));
  }
}
