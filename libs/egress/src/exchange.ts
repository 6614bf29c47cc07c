import type { Dispatcher } from 'undici';
import { decodeBody, tooLarge } from './decode-body.js';
import { EgressError, type EgressRequest, type EgressResponse } from './egress-client.js';
import { asEgressError } from './failure.js';
import type { Hop } from './outgoing-request.js';
import { followRedirect, isRedirect } from './redirect.js';

/** Longest delay that a Node timer takes. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * One call from first byte out to last byte in, redirects included. It is undici's handler itself, not a stream on top of it:
 * chunks go from the parser into one list, and a small answer is that one chunk, uncopied.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<EgressResponse>;

  private readonly resolve: (response: EgressResponse) => void;
  private readonly reject: (error: EgressError) => void;
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort: () => void;
  private readonly maxBytes: number;
  private readonly signal: AbortSignal | undefined;
  private redirectsLeft: number;
  /** Set once: the call has its result, whatever the socket still does. */
  private failure: EgressError | null = null;
  private isSettled = false;
  private controller: Dispatcher.DispatchController | null = null;
  private statusCode = 0;
  private headers: Record<string, string> = {};
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** Bytes that the answer said it has; 0 when it did not, or is not the last one. */
  private announced = 0;

  constructor(
    private readonly dispatcher: Dispatcher,
    private hop: Hop,
    private readonly request: EgressRequest,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<EgressResponse>();
    this.response = promise;
    this.resolve = resolve;
    this.reject = reject;
    this.maxBytes = request.maxResponseBytes;
    this.redirectsLeft = request.maxRedirects;
    this.signal = request.signal;
    this.onAbort = () => this.fail(abortError(this.signal, this.host));
    this.timer = setTimeout(
      () => this.fail(new EgressError('timeout', `${this.host} did not answer within ${request.timeoutMs} ms`)),
      Math.min(request.timeoutMs, MAX_TIMER_MS),
    );
    this.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Sends the present hop. Errors come through the promise. */
  start(): Promise<EgressResponse> {
    if (this.signal?.aborted) this.onAbort();
    else this.send();
    return this.response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The call may have ended while it waited for a connection.
    if (this.failure) controller.abort(this.failure);
    else this.controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (statusCode < 200) return;
    this.statusCode = statusCode;
    this.headers = joinRepeated(headers);
    const announced = Number(this.headers['content-length']);
    this.announced = announced > 0 && statusCode < 300 ? announced : 0;
    if (announced > this.maxBytes && this.hop.method !== 'HEAD') this.fail(tooLarge(this.host, this.maxBytes));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.byteLength;
    if (this.bytes > this.maxBytes) this.fail(tooLarge(this.host, this.maxBytes));
    else this.chunks.push(chunk);
    if (this.bytes < this.announced) this.request.onProgress?.(this.bytes, this.announced);
  }

  onResponseEnd(): void {
    if (this.failure) return;
    this.controller = null;
    const location = this.headers.location;
    if (this.request.maxRedirects > 0 && isRedirect(this.statusCode, location)) return this.redirect(location);
    const encoding = this.headers['content-encoding'];
    if (encoding === undefined || this.bytes === 0) return this.succeed(joinChunks(this.chunks, this.bytes));
    decodeBody(joinChunks(this.chunks, this.bytes), encoding, this.maxBytes, this.host).then(
      (body) => this.succeed(body),
      (error: unknown) => this.fail(asEgressError(error, this.host)),
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.controller = null;
    this.fail(asEgressError(error, this.host));
  }

  private get host(): string {
    return this.hop.url.host;
  }

  private send(): void {
    const { url, method, headers, body } = this.hop;
    this.dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: headers as string[],
        body,
      },
      this,
    );
  }

  private redirect(location: string): void {
    if (this.redirectsLeft === 0) {
      return this.fail(
        new EgressError('connect_failed', `${this.host} redirects more than ${this.request.maxRedirects} times`),
      );
    }
    this.redirectsLeft -= 1;
    try {
      this.hop = followRedirect(this.hop, this.statusCode, location);
    } catch (error) {
      return this.fail(asEgressError(error, this.host));
    }
    this.chunks = [];
    this.bytes = 0;
    this.send();
  }

  private succeed(body: Buffer): void {
    if (!this.settle()) return;
    const { origin, pathname, search } = this.hop.url;
    this.resolve({ statusCode: this.statusCode, headers: this.headers, body, url: origin + pathname + search });
  }

  private fail(error: EgressError): void {
    if (!this.settle()) return;
    this.failure = error;
    this.chunks = [];
    this.reject(error);
    // Last, since undici answers it at once with onResponseError: it destroys the socket, hanging or dripping as it may be.
    this.controller?.abort(error);
  }

  private settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.onAbort);
    return true;
  }
}

function abortError(signal: AbortSignal | undefined, host: string): EgressError {
  const reason: unknown = signal?.reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    return new EgressError('timeout', `${host} did not answer in time`, { cause: reason });
  }
  return new EgressError('cancelled', `the call of ${host} was cancelled`, { cause: reason });
}

/** undici's object, with its lists turned into text in place: repeated names are rare and the object is ours alone. */
function joinRepeated(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  // A server may send a header of this name; nothing after us should have to think of it.
  if (Object.hasOwn(headers, '__proto__')) delete headers.__proto__;
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string') headers[name] = value?.join(', ') ?? '';
  }
  return headers as Record<string, string>;
}

function joinChunks(chunks: readonly Buffer[], bytes: number): Buffer {
  const only = chunks[0];
  return chunks.length === 1 && only ? only : Buffer.concat(chunks, bytes);
}
