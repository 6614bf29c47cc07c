import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../api-types.js';
import { parseJson, withExactJson } from '../json.js';
import { toBody } from './to-body.js';
import { toQuery } from './to-query.js';
import { send, type Fetch, type SendPolicy } from './send.js';
import { readBase, readHeaders, readToken } from './settings.js';
import { refusalOf, toWeftError, unreadable } from './weft-error.js';

export interface WeftOptions {
  /** Where Weft is: `https://weft.example.com`. In a browser on the same site: left out. */
  readonly url?: string;
  /** An API key, or a function that gives one for each request. Left out: the browser's session. */
  readonly token?: string | (() => string | Promise<string>);
  /** Attempts of a call after the first one; 6 when left out. */
  readonly retries?: number;
  /** For a call with all its attempts; 60,000 when left out. */
  readonly timeoutMs?: number;
  /** Where the live streams are, when that is not `url`. */
  readonly streamUrl?: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends every call, stream and wait of the client, with its reason. */
  readonly signal?: AbortSignal;
  /** Bytes that one answer may have; 256 MB when left out. Operations of `api` have no such limit. */
  readonly mostBytes?: number;
  /**
   * Integers beyond ±(2^53 − 1) in answers and streams are a `bigint`, with every digit; left out: numbers, which are rounded. It
   * needs Node 22, Chrome 114, Firefox 135 or Safari 18.4.
   */
  readonly bigIntegers?: boolean;
  /** Stands in for the global one. */
  readonly fetch?: Fetch;
  readonly WebSocket?: typeof WebSocket;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an operation of openapi-fetch gives. */
interface Outcome<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** One operation of openapi-fetch, with what the call passes to it. */
export type Ask<T> = (api: Client<paths>, init: CallInit) => Promise<Outcome<T>>;

interface CallInit {
  readonly signal?: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
}

const DEFAULTS = { retries: 6, timeoutMs: 60_000, mostBytes: 256 * 1_024 * 1_024 };

export class Connection {
  /** Every operation of the API with its types, as openapi-fetch calls it: with the same key, attempts and limits. */
  readonly api: Client<paths>;
  private readonly base: string;

  /** @throws TypeError when an option cannot be what it should; the error does not show keys */
  constructor(readonly options: WeftOptions) {
    this.base = readBase(options.url);
    if (typeof options.token === 'string') readToken(options.token);
    readHeaders(options.headers);
    this.api = createClient<paths>({
      baseUrl: this.base,
      fetch: this.fetchFor({}),
      querySerializer: toQuery,
      bodySerializer: toBody,
    });
  }

  /**
   * Asks, and gives the answer alone.
   *
   * @param isRepeatable whether the request may be sent twice although its method does not say so
   * @throws WeftError
   * @throws TypeError when the body cannot be written as JSON: nothing was sent then
   */
  async call<T>({ headers, ...options }: CallOptions, ask: Ask<T>, isRepeatable = false): Promise<T> {
    const { signal } = options;
    const mostBytes = this.options.mostBytes ?? DEFAULTS.mostBytes;
    const init = { signal, headers: readHeaders(headers), fetch: this.fetchFor(options, { isRepeatable, mostBytes }) };
    const { data, error, response } = await ask(this.api, init).catch((fault: unknown) => {
      throw toWeftError(fault, this.signalOf(signal));
    });
    if (!response.ok) throw refusalOf(response, error);
    if (data === undefined && response.status !== 204) throw unreadable('The answer is empty.', response.status);
    return data as T;
  }

  /** That of one call, together with that of the client. */
  signalOf(signal?: AbortSignal): AbortSignal | undefined {
    const all = [signal, this.options.signal].filter((each) => each !== undefined);
    return all.length > 1 ? AbortSignal.any(all) : all[0];
  }

  streamAddress(path: string): string {
    const base = this.options.streamUrl === undefined ? this.base : readBase(this.options.streamUrl);
    return new URL(path, base).href.replace(/^http/, 'ws');
  }

  openSocket(address: string, protocols: readonly string[]): WebSocket {
    const Socket = this.options.WebSocket ?? WebSocket;
    return new Socket(address, [...protocols]);
  }

  /** JSON that came in another way than as the answer to a call. @throws SyntaxError */
  parse(text: string): unknown {
    return this.options.bigIntegers ? parseJson(text) : JSON.parse(text);
  }

  async token(): Promise<string | undefined> {
    const { token } = this.options;
    return typeof token === 'function' ? readToken(await token()) : token;
  }

  private fetchFor(
    { timeoutMs, retries }: Pick<CallOptions, 'timeoutMs' | 'retries'>,
    more: Pick<SendPolicy, 'isRepeatable' | 'mostBytes'> = {},
  ): Fetch {
    const { options } = this;
    return async (asked) => {
      const request = options.signal ? new Request(asked, { signal: this.signalOf(asked.signal) }) : asked;
      const token = await this.token();
      if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
      for (const [name, value] of Object.entries(options.headers ?? {})) {
        if (!request.headers.has(name)) request.headers.set(name, value);
      }
      const response = await send(request, {
        fetch: options.fetch ?? ((each) => fetch(each)),
        timeoutMs: timeoutMs ?? options.timeoutMs ?? DEFAULTS.timeoutMs,
        retries: retries ?? options.retries ?? DEFAULTS.retries,
        ...more,
      });
      return options.bigIntegers ? withExactJson(response) : response;
    };
  }
}
