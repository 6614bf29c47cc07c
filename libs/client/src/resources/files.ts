import type { CallOptions, Connection } from '../http/connection.js';
import type { Schemas } from './schemas.js';

/** What is sent as it is; of any type. */
export type FileBody = string | Uint8Array<ArrayBuffer> | Blob;

export interface UploadOptions extends CallOptions {
  readonly filename?: string;
  /** Default: that of the blob, otherwise `application/octet-stream`. */
  readonly contentType?: string;
}

/** Files that args of runs refer to: docs/files.md. */
export class Files {
  constructor(private readonly connection: Connection) {}

  /** Its `$ref` stands in args; an upload that nobody uses expires. */
  upload(
    body: FileBody,
    { filename, contentType, headers, ...options }: UploadOptions = {},
  ): Promise<Schemas['Upload']> {
    const own = body instanceof Blob ? body.type : '';
    const type = contentType ?? (own || 'application/octet-stream');
    return this.connection.call(
      { ...options, headers: { ...headers, 'content-type': type } },
      (api, init) =>
        api.POST('/api/v1/payloads', {
          params: { query: { filename } },
          // the types of the API show bytes as a text
          body: body as unknown as string,
          bodySerializer: () => body,
          ...init,
        }),
      // a second one is a file that nobody uses
      true,
    );
  }
}
