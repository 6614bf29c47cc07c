import type { CallOptions, Connection } from '../http/connection.js';
import { Pages } from '../http/pages.js';
import type { BodyOf, FiltersOf, Flow, FlowDocument, Schemas } from './schemas.js';

/** A change may name the version that it means: 412 `version_conflict` when the flow has another one by then. */
export interface ChangeOptions extends CallOptions {
  readonly ifVersion?: number;
  /** Instead of `ifVersion`: the `tag` of a document, which covers the test cases, too. */
  readonly ifMatch?: string;
}

export function withVersion({ ifVersion, ifMatch, headers, ...options }: ChangeOptions): CallOptions {
  const tag = ifMatch ?? (ifVersion === undefined ? undefined : `"${ifVersion}"`);
  return { ...options, headers: tag === undefined ? headers : { ...headers, 'if-match': tag } };
}

/** A document, and what a change names in `ifMatch` that means this document. */
export interface TaggedDocument {
  readonly document: FlowDocument;
  /** Null: a proxy has removed it. A change can then name the flow's version in `ifVersion`, which says nothing of the test cases. */
  readonly tag: string | null;
}

const FLOW = '/api/v1/flows/{id}';

export class Flows {
  constructor(private readonly connection: Connection) {}

  /** Without their layers. */
  list(filters: FiltersOf<'/api/v1/flows'> = {}, options: CallOptions = {}): Pages<Flow> {
    return new Pages((cursor) =>
      this.connection.call(options, (api, init) =>
        api.GET('/api/v1/flows', { params: { query: { ...filters, cursor } }, ...init }),
      ),
    );
  }

  get(id: string, options: CallOptions = {}): Promise<Flow> {
    return this.connection.call(options, (api, init) => api.GET(FLOW, { params: { path: { id } }, ...init }));
  }

  create(body: BodyOf<'Flows_create'>, options: CallOptions = {}): Promise<Flow> {
    return this.connection.call(options, (api, init) => api.POST('/api/v1/flows', { body, ...init }));
  }

  update(id: string, body: BodyOf<'Flows_patch'>, options: ChangeOptions = {}): Promise<Flow> {
    return this.connection.call(withVersion(options), (api, init) =>
      api.PATCH(FLOW, { params: { path: { id } }, body, ...init }),
    );
  }

  /** Makes a version the one that runs use, of a flow with `settings.publish: manual`; `body.version` left out: the last one. */
  publish(flowId: string, body: BodyOf<'Publication_publish'> = {}, options: ChangeOptions = {}): Promise<Flow> {
    return this.connection.call(withVersion(options), (api, init) =>
      api.POST('/api/v1/flows/{flowId}/publish', { params: { path: { flowId } }, body, ...init }),
    );
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.connection.call(options, (api, init) => api.DELETE(FLOW, { params: { path: { id } }, ...init }));
  }

  /** The document that people review and keep with their code. */
  export(flowId: string, options: CallOptions = {}): Promise<FlowDocument> {
    return this.connection.call(options, (api, init) =>
      api.GET('/api/v1/flows/{flowId}/export', { params: { path: { flowId } }, ...init }),
    );
  }

  /** The document with its tag: `put` with it in `ifMatch` is refused when the flow or a test case has changed since. */
  async exportTagged(flowId: string, options: CallOptions = {}): Promise<TaggedDocument> {
    let tag = null as string | null;
    const document = await this.connection.call(options, async (api, init) => {
      const outcome = await api.GET('/api/v1/flows/{flowId}/export', { params: { path: { flowId } }, ...init });
      tag = outcome.response.headers.get('etag');
      return outcome;
    });
    return { document, tag };
  }

  /** Makes the flow be as the document says, as one version: what the document leaves out is gone. */
  put(id: string, document: BodyOf<'PutDocuments_put'>, options: ChangeOptions = {}): Promise<Flow> {
    return this.connection.call(withVersion(options), (api, init) =>
      api.PUT('/api/v1/flows/{id}/document', { params: { path: { id } }, body: document, ...init }),
    );
  }

  /** The same with the flow of this key, which is your own; where there is none, it is made, disabled. */
  putByKey(key: string, document: BodyOf<'PutDocuments_putByKey'>, options: ChangeOptions = {}): Promise<Flow> {
    return this.connection.call(withVersion(options), (api, init) =>
      api.PUT('/api/v1/flows/by-key/{key}/document', { params: { path: { key } }, body: document, ...init }),
    );
  }

  /** A new flow, disabled. */
  import(body: BodyOf<'Documents_import'>, options: CallOptions = {}): Promise<Flow> {
    return this.connection.call(options, (api, init) => api.POST('/api/v1/flows/import', { body, ...init }));
  }

  /**
   * What `put` would make of the flow, or `import` without an id: nothing is stored.
   *
   * @throws WeftError as `put` and `import`
   */
  judge(document: BodyOf<'PutDocuments_put'>, flowId?: string, options: CallOptions = {}): Promise<Flow> {
    const body = { document, dryRun: true };
    return this.connection.call(options, (api, init) =>
      flowId === undefined
        ? api.POST('/api/v1/flows/import', { body, ...init })
        : // the types of the API show a document without what may be around it
          api.PUT('/api/v1/flows/{id}/document', { params: { path: { id: flowId } }, body: body as never, ...init }),
    );
  }

  validate(flowId: string, options: CallOptions = {}): Promise<Schemas['FlowReport']> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/flows/{flowId}/validate', { params: { path: { flowId } }, ...init }),
    );
  }

  /** Nothing is stored or sent. */
  dryRun(flowId: string, body: BodyOf<'Checks_dryRun'> = {}, options: CallOptions = {}): Promise<Schemas['DryRun']> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/flows/{flowId}/dry-run', { params: { path: { flowId } }, body, ...init }),
    );
  }

  versions(flowId: string, options: CallOptions = {}): Pages<Schemas['FlowVersion']> {
    return new Pages((cursor) =>
      this.connection.call(options, (api, init) =>
        api.GET('/api/v1/flows/{flowId}/versions', { params: { path: { flowId }, query: { cursor } }, ...init }),
      ),
    );
  }

  /** @param to the present version when left out */
  diff(flowId: string, from: number, to?: number, options: CallOptions = {}): Promise<Schemas['FlowDiff']> {
    const params = { path: { flowId, version: String(from) }, query: { to } };
    return this.connection.call(options, (api, init) =>
      api.GET('/api/v1/flows/{flowId}/versions/{version}/diff', { params, ...init }),
    );
  }
}
