import type { CallOptions, Connection } from '../http/connection.js';
import { Pages } from '../http/pages.js';
import type { BodyOf, FiltersOf, Play, Schemas } from './schemas.js';

export class Approvals {
  constructor(private readonly connection: Connection) {}

  /** What plays ask now. */
  list(filters: FiltersOf<'/api/v1/approvals'> = {}, options: CallOptions = {}): Pages<Schemas['OpenApproval']> {
    return new Pages((cursor) =>
      this.connection.call(options, (api, init) =>
        api.GET('/api/v1/approvals', { params: { query: { ...filters, cursor } }, ...init }),
      ),
    );
  }

  decide(playId: string, ref: string, body: BodyOf<'Approvals_decide'>, options: CallOptions = {}): Promise<Play> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/plays/{id}/approvals/{ref}', { params: { path: { id: playId, ref } }, body, ...init }),
    );
  }
}
