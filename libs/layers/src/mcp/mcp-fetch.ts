/** How the client of an MCP server reaches it: by the egress client alone, within the bounds of one call. */
import type { EgressClient, EgressResponse } from '@weft/egress';
import type { FetchLike } from '@modelcontextprotocol/client';
import { ExactIntegers } from '@weft/kernel';
import { Readable } from 'node:stream';
import { ofEgress } from '../call/failure.js';
import { withCredentialOfStream, type OutgoingRequest } from '../call/link-credential.js';
import { withValidToken } from '../call/linked-request.js';
import { secretsOf } from '../call/link-secrets.js';
import { LayerFailure, type Connection, type RefusedAnswer } from '../layer-module.js';
import type { AnswerRoom } from '../memory/answer-room.js';

/** Of all requests of one call: a list of 100 pages, and answers to questions of the server. */
const MOST_REQUESTS = 150;
/** Of one answer, and of all answers to one call. */
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;
export const MOST_BYTES = 2 * MOST_ANSWER_BYTES;
/** Of the streams of one call: each message costs more than its bytes. */
const MOST_LINES = 60_000;
const LINE_END = 10;

export interface McpWay {
  readonly http: EgressClient;
  /** Ends the session that a server has given, some time after the call; default: `http`. */
  readonly afterwards?: EgressClient;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The server is asked who it is, whatever is known of it. */
  readonly isNew?: true;
  /** For what the answers hold in memory, all of them together. */
  readonly room?: AnswerRoom;
}

/** The requests of one call. */
export class McpRequests {
  /** Why one failed: what the client of the protocol makes of it says less. */
  fault: unknown;
  /** The last answer that was not a success. */
  refused: RefusedAnswer | undefined;
  /** Set where what the server answers is for users: the client of the protocol would round its large integers. */
  integers: ExactIntegers | undefined;
  /** What the server was shown, and may repeat. */
  readonly secrets: string[] = [];
  /** Rejects when a request, or the answer to one, has failed: the client of the protocol may wait for more. */
  readonly broken: Promise<never>;
  private readonly break: (error: unknown) => void;
  private count = 0;
  private bytes = 0;
  private lines = 0;

  constructor(
    private link: Connection | null,
    private readonly way: McpWay,
  ) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.broken = promise;
    this.break = reject;
    promise.catch(() => undefined);
  }

  readonly fetch: FetchLike = async (url, init = {}) => {
    const headers = new Headers(init.headers);
    // the stream of what a server says unasked: nobody would hear it
    if (init.method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 });
    try {
      this.count += 1;
      if (this.count > MOST_REQUESTS) {
        throw new LayerFailure('mcp_unreachable', `A call of the server took more than ${MOST_REQUESTS} requests.`);
      }
      const request: OutgoingRequest = {
        method: init.method ?? 'GET',
        url: String(url),
        headers: new Map([...headers].map(([name, value]) => [name, [name, value] as const])),
        body: typeof init.body === 'string' ? init.body : null,
      };
      const signal = init.signal ? AbortSignal.any([init.signal, this.way.signal]) : this.way.signal;
      const { response } = await withValidToken(this.link, async (its) => ({
        response: await this.send(request, its, signal),
      }));
      return this.answer(response);
    } catch (error) {
      throw this.failed(error);
    }
  };

  /** The end of the call: what it holds is as large as it is now. */
  end(): void {
    this.way.room?.arrived(this.bytes);
  }

  private async send(request: OutgoingRequest, link: Connection | null, signal: AbortSignal): Promise<EgressResponse> {
    this.link = link;
    if (link) this.secrets.push(...secretsOf(link));
    const { url, headers, body } = link ? await withCredentialOfStream(link, request, signal) : request;
    return this.way.http.request({
      ...{ method: request.method, url, headers: Object.fromEntries(headers.values()) },
      ...(body !== null && { body }),
      ...{ timeoutMs: this.way.timeoutMs, maxRedirects: 0, maxResponseBytes: MOST_ANSWER_BYTES, streamPast: 0, signal },
    });
  }

  private answer({ statusCode, headers, body, stream }: EgressResponse): Response {
    const isNull = statusCode === 202 || statusCode === 204 || statusCode === 304;
    this.refused = statusCode > 299 ? { statusCode, headers } : undefined;
    const kept = Object.entries(headers).filter(([name]) => !['content-encoding', 'content-length'].includes(name));
    const init = { status: statusCode, headers: kept };
    if (isNull) return new Response(null, init);
    if (!stream) return new Response(new Uint8Array(body), init);
    const counted = this.counted(stream);
    const isEvents = headers['content-type']?.startsWith('text/event-stream') === true;
    const exact = this.integers ? this.exact(counted, this.integers, isEvents) : counted;
    return new Response(Readable.toWeb(Readable.from(exact)), init);
  }

  /** Events line by line, as they come; another answer as a whole. */
  private async *exact(
    chunks: AsyncIterable<Buffer>,
    integers: ExactIntegers,
    isEvents: boolean,
  ): AsyncGenerator<Buffer> {
    const left: Buffer[] = [];
    try {
      for await (const chunk of chunks) {
        const end = isEvents ? chunk.lastIndexOf(LINE_END) + 1 : 0;
        if (end > 0) yield marked(Buffer.concat([...left.splice(0), chunk.subarray(0, end)]), integers, isEvents);
        if (end < chunk.byteLength) left.push(chunk.subarray(end));
      }
      if (left.length > 0) yield marked(Buffer.concat(left), integers, isEvents);
    } catch (error) {
      throw this.failed(error);
    }
  }

  private async *counted(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of stream) {
        this.bytes += chunk.byteLength;
        if (this.bytes > MOST_BYTES) throw tooMuch(`${MOST_BYTES} bytes`);
        for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1)) this.lines += 1;
        if (this.lines > MOST_LINES) throw tooMuch(`${MOST_LINES} lines`);
        const room = this.way.room?.reserve(this.bytes);
        if (room) await room;
        yield chunk;
      }
    } catch (error) {
      throw this.failed(error);
    }
  }

  /** The first one is why; others follow from it. */
  private failed(error: unknown): unknown {
    this.fault ??= ofEgress(error);
    this.break(this.fault);
    return error;
  }
}

/** @throws LayerFailure `invalid_output` */
function marked(bytes: Buffer, integers: ExactIntegers, isEvents: boolean): Buffer {
  const text = bytes.toString();
  try {
    return Buffer.from(isEvents ? text.replace(DATA_LINE, (line) => integers.marked(line)) : integers.marked(text));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new LayerFailure('invalid_output', `What the server answered cannot be read: ${cause.message}.`);
  }
}

/** Of an event: what is JSON in the protocol. */
const DATA_LINE = /^data:.*/gm;

function tooMuch(most: string): LayerFailure {
  return new LayerFailure('output_too_large', `The server answered one call with more than ${most}.`);
}
