import type { CallOptions, Connection } from '../http/connection.js';
import { Pages } from '../http/pages.js';
import type { BodyOf, FiltersOf, Schemas } from './schemas.js';

const ALL = '/api/v1/webhooks';
const ONE = '/api/v1/webhooks/{id}';

export class Webhooks {
  constructor(private readonly connection: Connection) {}

  list(filters: FiltersOf<typeof ALL> = {}, options: CallOptions = {}): Pages<Schemas['Webhook']> {
    return new Pages((cursor) =>
      this.connection.call(options, (api, init) =>
        api.GET(ALL, { params: { query: { ...filters, cursor } }, ...init }),
      ),
    );
  }

  get(id: string, options: CallOptions = {}): Promise<Schemas['Webhook']> {
    return this.connection.call(options, (api, init) => api.GET(ONE, { params: { path: { id } }, ...init }));
  }

  /** What verifies its signatures is shown this once. */
  create(body: BodyOf<'Webhooks_create'>, options: CallOptions = {}): Promise<Schemas['NewWebhook']> {
    return this.connection.call(options, (api, init) => api.POST(ALL, { body, ...init }));
  }

  update(id: string, body: BodyOf<'Webhooks_update'>, options: CallOptions = {}): Promise<Schemas['Webhook']> {
    return this.connection.call(options, (api, init) => api.PATCH(ONE, { params: { path: { id } }, body, ...init }));
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.connection.call(options, (api, init) => api.DELETE(ONE, { params: { path: { id } }, ...init }));
  }

  deliveries(
    id: string,
    filters: FiltersOf<'/api/v1/webhooks/{id}/deliveries'> = {},
    options: CallOptions = {},
  ): Pages<Schemas['WebhookDelivery']> {
    return new Pages((cursor) => {
      const params = { path: { id }, query: { ...filters, cursor } };
      return this.connection.call(options, (api, init) =>
        api.GET('/api/v1/webhooks/{id}/deliveries', { params, ...init }),
      );
    });
  }
}
