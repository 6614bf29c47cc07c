import type { CallOptions, Connection } from '../http/connection.js';
import { Pages } from '../http/pages.js';
import type { BodyOf, FiltersOf, Play, PlayLayer, Schemas } from './schemas.js';

const PLAY = '/api/v1/plays/{id}';

export type PlayFilters = FiltersOf<'/api/v1/plays'>;

/** Reading plays, and commands on them. */
export class Plays {
  constructor(protected readonly connection: Connection) {}

  /** Without their arguments. */
  list(filters: PlayFilters = {}, options: CallOptions = {}): Pages<Play> {
    return new Pages((cursor) =>
      this.connection.call(options, (api, init) =>
        api.GET('/api/v1/plays', { params: { query: { ...filters, cursor } }, ...init }),
      ),
    );
  }

  counts(filters: FiltersOf<'/api/v1/plays/counts'> = {}, options: CallOptions = {}): Promise<Schemas['PlayCounts']> {
    return this.connection.call(options, (api, init) =>
      api.GET('/api/v1/plays/counts', { params: { query: filters }, ...init }),
    );
  }

  get(id: string, options: CallOptions = {}): Promise<Play> {
    return this.connection.call(options, (api, init) => api.GET(PLAY, { params: { path: { id } }, ...init }));
  }

  /** Every layer with its output; over 256 KB `{ $ref, bytes }`: `output` gives all of it. */
  layers(id: string, options: CallOptions = {}): Promise<PlayLayer[]> {
    return this.connection.call(options, (api, init) =>
      api.GET('/api/v1/plays/{id}/layers', { params: { path: { id } }, ...init }),
    );
  }

  output(id: string, ref: string, options: CallOptions = {}): Promise<unknown> {
    return this.connection.call<unknown>(options, (api, init) =>
      api.GET('/api/v1/plays/{id}/layers/{ref}/out', { params: { path: { id, ref } }, ...init }),
    );
  }

  /** Why it does not go on. */
  waiting(id: string, options: CallOptions = {}): Promise<Schemas['PlayWaiting']> {
    return this.connection.call(options, (api, init) =>
      api.GET('/api/v1/plays/{id}/waiting', { params: { path: { id } }, ...init }),
    );
  }

  /** The frames so far, from number `fromSeq` on. */
  events(id: string, fromSeq = 1, options: CallOptions = {}): Promise<Schemas['PlayFrame'][]> {
    const params = { path: { id }, query: { fromSeq } };
    return this.connection.call(options, (api, init) => api.GET('/api/v1/plays/{id}/events', { params, ...init }));
  }

  hold(id: string, options: CallOptions = {}): Promise<Play> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/plays/{id}/hold', { params: { path: { id } }, ...init }),
    );
  }

  release(id: string, options: CallOptions = {}): Promise<Play> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/plays/{id}/release', { params: { path: { id } }, ...init }),
    );
  }

  /** Ends it at once. */
  cancel(id: string, body: BodyOf<'PlayCommands_cancel'> = {}, options: CallOptions = {}): Promise<Play> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/plays/{id}/cancel', { params: { path: { id } }, body, ...init }),
    );
  }

  /** Ends what a layer waits for, or its pause before the next attempt. */
  resume(id: string, body: BodyOf<'PlayCommands_resume'>, options: CallOptions = {}): Promise<Play> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/plays/{id}/resume', { params: { path: { id } }, body, ...init }),
    );
  }

  /** A new play that starts at what failed. */
  retry(id: string, options: CallOptions = {}): Promise<Schemas['RepeatAnswer']> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/plays/{id}/retry', { params: { path: { id } }, ...init }),
    );
  }

  /** A new play of the flow as it is now. */
  rerun(
    id: string,
    body: BodyOf<'PlayRetries_rerun'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['RepeatAnswer']> {
    return this.connection.call(options, (api, init) =>
      api.POST('/api/v1/plays/{id}/rerun', { params: { path: { id } }, body, ...init }),
    );
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.connection.call(options, (api, init) => api.DELETE(PLAY, { params: { path: { id } }, ...init }));
  }
}
