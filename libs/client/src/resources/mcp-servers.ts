import type { CallOptions, Connection } from '../http/connection.js';
import { Pages } from '../http/pages.js';
import type { BodyOf, FiltersOf, Schemas } from './schemas.js';

const ALL = '/api/v1/mcp-servers';
const ONE = '/api/v1/mcp-servers/{id}';
const TOOLS = '/api/v1/mcp-servers/{id}/tools';

/** MCP servers whose tools layers call; each by its id or its key. */
export class McpServers {
  constructor(private readonly connection: Connection) {}

  list(filters: FiltersOf<typeof ALL> = {}, options: CallOptions = {}): Pages<Schemas['McpServer']> {
    return new Pages((cursor) =>
      this.connection.call(options, (api, init) =>
        api.GET(ALL, { params: { query: { ...filters, cursor } }, ...init }),
      ),
    );
  }

  get(id: string, options: CallOptions = {}): Promise<Schemas['McpServerWithReport']> {
    return this.connection.call(options, (api, init) => api.GET(ONE, { params: { path: { id } }, ...init }));
  }

  /** Its state is `importing`: ask for it until it is another one. */
  create(body: BodyOf<'McpServers_create'>, options: CallOptions = {}): Promise<Schemas['McpServer']> {
    return this.connection.call(options, (api, init) => api.POST(ALL, { body, ...init }));
  }

  update(
    id: string,
    body: BodyOf<'McpServers_update'>,
    options: CallOptions = {},
  ): Promise<Schemas['McpServerWithReport']> {
    return this.connection.call(options, (api, init) => api.PATCH(ONE, { params: { path: { id } }, body, ...init }));
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.connection.call(options, (api, init) => api.DELETE(ONE, { params: { path: { id } }, ...init }));
  }

  /** As `create`. */
  refresh(
    id: string,
    body: BodyOf<'McpServers_refresh'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['McpServerWithReport']> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/mcp-servers/{id}/refresh', { params: { path: { id } }, body, ...init }),
    );
  }

  /** What the last refresh has found. */
  diff(id: string, options: CallOptions = {}): Promise<Schemas['ApiDiff']> {
    return this.connection.call(options, (api, init) =>
      api.GET('/api/v1/mcp-servers/{id}/diff', { params: { path: { id } }, ...init }),
    );
  }

  /** Has these flows call the tools as they are now. */
  adopt(id: string, flows: string[], options: CallOptions = {}): Promise<Schemas['ApiAdoption']> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/mcp-servers/{id}/adopt', { params: { path: { id } }, body: { flows }, ...init }),
    );
  }

  /** By name. */
  tools(id: string, filters: FiltersOf<typeof TOOLS> = {}, options: CallOptions = {}): Pages<Schemas['McpToolHead']> {
    return new Pages((cursor) => {
      const params = { path: { id }, query: { ...filters, cursor } };
      return this.connection.call(options, (api, init) => api.GET(TOOLS, { params, ...init }));
    });
  }
}
