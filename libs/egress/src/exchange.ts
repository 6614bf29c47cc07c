import { TimeLimit } from '@weft/concurrency';
import type { Dispatcher } from 'undici';
import { BodyStream } from './body-stream.js';
import { decodeBody, tooLarge } from './decode-body.js';
import { EgressError, type EgressRequest, type EgressResponse } from './egress-client.js';
import { toEgressError } from './failure.js';
import { isClosed, isRepeatable, type KeptConnection } from './kept-connection.js';
import type { Hop } from './outgoing-request.js';
import { sentBody } from './outgoing-body.js';
import { cookiesIn, readHeaders } from './read-headers.js';
import { followRedirect, isRedirect } from './redirect.js';

const NOTHING = Buffer.alloc(0);

/**
 * One call from the first byte sent to the last byte received, redirects included. It implements undici's handler
 * itself instead of using a stream: chunks go from the parser into one list, and a small body is that one chunk,
 * uncopied. A large body becomes a stream on request, and the socket is read no faster than the stream.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<EgressResponse>;

  private readonly resolve: (response: EgressResponse) => void;
  private readonly reject: (error: EgressError) => void;
  private readonly limit: TimeLimit;
  private readonly onAbort: () => void;
  private readonly maxBytes: number;
  private readonly signal: AbortSignal | undefined;
  private redirectsLeft: number;
  /** Set once: the call has failed, whatever the socket still does. */
  private failure: EgressError | null = null;
  private isSettled = false;
  /** It was withdrawn before it was written to its connection. */
  private isHeldBack = false;
  /** The whole response is here; its body may still be read. */
  private hasArrived = false;
  private controller: Dispatcher.DispatchController | null = null;
  private statusCode = 0;
  /** Of the address that was asked for, before any redirect. */
  private firstStatus: number | undefined;
  private headers: Record<string, string> = {};
  private cookies: readonly string[] = [];
  /** On which the current hop was sent. */
  private connection: KeptConnection | null = null;
  /** A byte of the answer to the current hop is here. */
  private hasBegun = false;
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** Content length of the final response; 0 when unknown, or while redirects are followed. */
  private contentLength = 0;
  /** Set while a body is being streamed. */
  private bodyStream: BodyStream | null = null;

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
    this.limit = new TimeLimit(request.timeoutMs, () =>
      this.fail(new EgressError('timeout', `${this.host} did not answer within ${request.timeoutMs} ms`)),
    );
    this.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Sends the current hop. Errors reject the promise. */
  start(): Promise<EgressResponse> {
    if (this.signal?.aborted) this.onAbort();
    else this.send();
    return this.response;
  }

  onConnection(connection: KeptConnection): void {
    this.connection = connection;
  }

  /** The connection is there: undici writes the request to it when this returns, unless it was aborted. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // the call may have ended while it waited for a connection
    if (this.failure) return controller.abort(this.failure);
    const mayBeSent = this.request.mayBeSent?.() ?? true;
    if (mayBeSent === true) this.controller = controller;
    else this.holdBack(controller, mayBeSent);
  }

  onResponseStarted(): void {
    this.hasBegun = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (statusCode < 200) return;
    this.statusCode = statusCode;
    this.firstStatus ??= statusCode;
    this.cookies = cookiesIn(headers);
    this.headers = readHeaders(headers);
    const announced = Number(this.headers['content-length']);
    this.contentLength = announced > 0 && statusCode < 300 ? announced : 0;
    if (announced > this.maxBytes && this.hop.method !== 'HEAD') this.fail(tooLarge(this.host, this.maxBytes));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.byteLength;
    if (this.bytes < this.contentLength) this.request.onProgress?.(this.bytes, this.contentLength);
    if (this.bodyStream) {
      if (!this.bodyStream.push(chunk)) controller.pause();
      return;
    }
    if (this.bytes > this.maxBytes) return this.fail(tooLarge(this.host, this.maxBytes));
    if (this.isFollowedRedirect()) return;
    this.chunks.push(chunk);
    const { streamPast = Number.POSITIVE_INFINITY } = this.request;
    if (this.bytes > streamPast) this.startStream();
  }

  onResponseEnd(): void {
    if (this.connection) this.connection.isUsed = true;
    if (this.failure) return;
    this.controller = null;
    if (this.bodyStream) {
      this.hasArrived = true;
      return this.bodyStream.end();
    }
    const { location } = this.headers;
    if (location !== undefined && this.isFollowedRedirect()) return this.redirect(location);
    const encoding = this.headers['content-encoding'];
    if (encoding === undefined || this.bytes === 0) return this.resolveWith(joinChunks(this.chunks, this.bytes));
    const whole = Math.min(this.maxBytes, this.request.streamPast ?? this.maxBytes);
    decodeBody(joinChunks(this.chunks, this.bytes), encoding, whole, this.host).then(
      (body) => this.resolveWith(body),
      (error: unknown) => {
        const failure = toEgressError(error, this.host);
        if (failure.code === 'output_too_large' && whole < this.maxBytes) this.streamBuffered();
        else this.fail(failure);
      },
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.isHeldBack) return;
    this.controller = null;
    const isStale = this.connection?.isUsed === true && !this.hasBegun && isClosed(error);
    if (!this.isSettled && isStale && isRepeatable(this.hop)) return queueMicrotask(() => this.sendAgain());
    this.fail(toEgressError(error, this.host));
  }

  /** Ends: each kept connection fails once. */
  private sendAgain(): void {
    if (!this.failure) this.send();
  }

  private get host(): string {
    return this.hop.url.host;
  }

  private send(): void {
    const { url, method, headers, body } = this.hop;
    this.connection = null;
    this.hasBegun = false;
    this.dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        ...sentBody(body, headers),
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
      return this.fail(toEgressError(error, this.host));
    }
    this.chunks = [];
    this.bytes = 0;
    this.send();
  }

  /** The response is a redirect that is followed: its body is not kept. */
  private isFollowedRedirect(): boolean {
    return this.request.maxRedirects > 0 && isRedirect(this.statusCode, this.headers.location);
  }

  private resolveWith(body: Buffer): void {
    if (this.settle()) this.answer({ body });
  }

  /** undici does not wait here: the request is withdrawn, and sent anew once it may be. */
  private holdBack(controller: Dispatcher.DispatchController, mayBeSent: false | Promise<boolean>): void {
    this.isHeldBack = true;
    controller.abort(new EgressError('cancelled', `the call of ${this.host} may not be made yet`));
    const goOn = this.pause();
    const decide = (may: boolean): void => {
      goOn();
      this.isHeldBack = false;
      if (this.isSettled) return;
      if (may) this.send();
      else this.fail(new EgressError('cancelled', `the call of ${this.host} may not be made any more`));
    };
    Promise.resolve(mayBeSent).then(decide, () => decide(false));
  }

  /** For a reader that cannot take more now, for reasons that are not the server's. */
  private pause(): () => void {
    this.limit.pause();
    return () => this.limit.resume();
  }

  /** From here on the body goes to its reader as it arrives. */
  private startStream(): BodyStream {
    const flow = new BodyStream({
      host: this.host,
      encoding: this.headers['content-encoding'],
      maxBytes: this.maxBytes,
      received: this.chunks,
      onWanted: () => this.controller?.resume(),
      onClosed: () => {
        if (!this.hasArrived)
          this.fail(new EgressError('cancelled', `the answer of ${this.host} was not read to its end`));
      },
      // until then its time limit and its signal hold: what has arrived may take for ever to be decompressed
      onRead: () => void (this.hasArrived && this.settle()),
    });
    this.bodyStream = flow;
    this.chunks = [];
    this.answer({ body: NOTHING, stream: flow.read(), pause: () => this.pause() });
    return flow;
  }

  /** For a body that is small until it is decompressed. */
  private streamBuffered(): void {
    if (this.isSettled) return;
    this.hasArrived = true;
    this.startStream().end();
  }

  private answer(body: Pick<EgressResponse, 'body' | 'stream' | 'pause'>): void {
    const { origin, pathname, search } = this.hop.url;
    const { statusCode, headers, cookies } = this;
    const url = origin + pathname + search;
    this.resolve({ statusCode, headers, url, ...(cookies.length > 0 && { cookies }), ...body });
  }

  private fail(error: EgressError): void {
    if (!this.settle()) return;
    if (this.firstStatus !== undefined) error.firstStatus = this.firstStatus;
    this.failure = error;
    this.chunks = [];
    this.reject(error);
    this.bodyStream?.fail(error);
    // last, since undici calls onResponseError at once: it destroys the socket, whatever state that is in
    this.controller?.abort(error);
  }

  private settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    this.limit.end();
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

function joinChunks(chunks: readonly Buffer[], bytes: number): Buffer {
  const only = chunks[0];
  return chunks.length === 1 && only ? only : Buffer.concat(chunks, bytes);
}
