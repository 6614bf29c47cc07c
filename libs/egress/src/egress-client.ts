import type { OutgoingBody } from './outgoing-body.js';

/**
 * The only way out of Weft: every module, link and webhook calls through this client, and nothing else may open a
 * connection.
 */
export interface EgressRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: OutgoingBody;
  /** For the whole exchange, redirects included. */
  readonly timeoutMs: number;
  /** 0: a redirect is returned like any other response. */
  readonly maxRedirects: number;
  /** Bytes of the body after decompression; more ends the call with `output_too_large`. */
  readonly maxResponseBytes: number;
  /** A decompressed body of more bytes is returned as `stream`; default: every body is returned whole. */
  readonly streamPast?: number;
  readonly signal?: AbortSignal;
  /**
   * Asked each time that the request is about to be written to its connection, for which it may have waited long. False: the call
   * fails with `cancelled`. Until a promise is resolved, the request is not sent, and its time limit stands still.
   */
  readonly mayBeSent?: () => boolean | Promise<boolean>;
  /** Called while bytes arrive, if their total is known and more are to come. */
  readonly onProgress?: (received: number, announced: number) => void;
}

export interface EgressResponse {
  readonly statusCode: number;
  /** Lower-case names, repeated ones joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The values of `Set-Cookie`; left out without that header. */
  readonly cookies?: readonly string[];
  /** Empty when there is a `stream`. */
  readonly body: Buffer;
  /**
   * A large body, decompressed, received no faster than it is read; it fails with an EgressError. It can be read once;
   * the call, its time limit and its signal last until the end of the body, or until its reader stops.
   */
  readonly stream?: AsyncIterable<Buffer>;
  /** With a stream: the time limit of the call stands still until the function that it returns is called. */
  readonly pause?: () => () => void;
  /** URL of the last hop, without credentials and fragment. */
  readonly url: string;
}

export type EgressErrorCode =
  'destination_blocked' | 'connect_failed' | 'timeout' | 'output_too_large' | 'cancelled' | 'invalid_args';

/** Why a call has no response. `message` names host and reason, never a header or a credential. */
export class EgressError extends Error {
  /** Status of the first response, also when a redirect or the body made the call fail; undefined: nobody has answered. */
  firstStatus?: number;

  constructor(
    readonly code: EgressErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'EgressError';
  }
}

export interface EgressClient {
  request(request: EgressRequest): Promise<EgressResponse>;
  close(): Promise<void>;
}
