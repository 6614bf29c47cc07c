import type { CallOptions, Connection } from '../http/connection.js';
import { Pages } from '../http/pages.js';
import type { BodyOf, FiltersOf, Schemas } from './schemas.js';

const ALL = '/api/v1/flows/{flowId}/test-cases';
const ONE = '/api/v1/flows/{flowId}/test-cases/{caseId}';

/** The test cases of a flow. */
export class TestCases {
  constructor(private readonly connection: Connection) {}

  list(flowId: string, filters: FiltersOf<typeof ALL> = {}, options: CallOptions = {}): Pages<Schemas['TestCase']> {
    return new Pages((cursor) => {
      const params = { path: { flowId }, query: { ...filters, cursor } };
      return this.connection.call(options, (api, init) => api.GET(ALL, { params, ...init }));
    });
  }

  create(flowId: string, body: BodyOf<'TestCases_create'>, options: CallOptions = {}): Promise<Schemas['TestCase']> {
    return this.connection.call(options, (api, init) => api.POST(ALL, { params: { path: { flowId } }, body, ...init }));
  }

  update(
    flowId: string,
    caseId: string,
    body: BodyOf<'TestCases_update'>,
    options: CallOptions = {},
  ): Promise<Schemas['TestCase']> {
    return this.connection.call(options, (api, init) =>
      api.PATCH(ONE, { params: { path: { flowId, caseId } }, body, ...init }),
    );
  }

  async delete(flowId: string, caseId: string, options: CallOptions = {}): Promise<void> {
    await this.connection.call(options, (api, init) =>
      api.DELETE(ONE, { params: { path: { flowId, caseId } }, ...init }),
    );
  }
}
