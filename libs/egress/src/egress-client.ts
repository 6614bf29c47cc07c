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
  readonly signal?: AbortSignal;
}

export interface EgressResponse {
  readonly statusCode: number;
  /** Lower-case names, repeated ones joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
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
