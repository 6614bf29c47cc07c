/** The one way out of Weft: every module, link and webhook calls through it, and nothing else may open a connection. */
export interface EgressRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whole exchange, redirects included. */
  readonly timeoutMs: number;
  /** 0 = a redirect is an answer like any other. */
  readonly maxRedirects: number;
  /** Bytes of body after decompression; more ends the call with `output_too_large`. */
  readonly maxResponseBytes: number;
  /** A body of more bytes than this, decompressed, comes as `stream`; default: every body comes as a whole. */
  readonly streamPast?: number;
  readonly signal?: AbortSignal;
  /** Called as the answer's bytes come in, while more are to come and their number is known. */
  readonly onProgress?: (received: number, announced: number) => void;
}

export interface EgressResponse {
  readonly statusCode: number;
  /** Lower-case names, repeated ones joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when there is a `stream`. */
  readonly body: Buffer;
  /**
   * All of a large body, decompressed, as fast as it is read and no faster; it fails with an EgressError. To be read once; the
   * call, its time limit and its signal last until its end, or until its reader has left off.
   */
  readonly stream?: AsyncIterable<Buffer>;
  /** Where the last hop went, without credentials and fragment. */
  readonly url: string;
}

export type EgressErrorCode =
  'destination_blocked' | 'connect_failed' | 'timeout' | 'output_too_large' | 'cancelled' | 'invalid_args';

/** Why a call gave no answer. `message` names host and reason, never a header or a credential. */
export class EgressError extends Error {
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
