/**
 * A server may close a kept connection at the moment in which a request is sent on it. curl and Go's client then send the request
 * once more, on another connection; undici tells nothing of the connection that it uses.
 */
import { Client, Pool, type Dispatcher } from 'undici';
import type { Hop } from './outgoing-request.js';

/** One at a time, on the only connection of a client. */
export interface KeptConnection {
  /** It has brought the answer of an earlier request. */
  isUsed: boolean;
}

/** Implemented by handlers that want to know it; called before `onRequestStart`. */
interface ConnectionHandler extends Dispatcher.DispatchHandler {
  onConnection?(connection: KeptConnection): void;
}

class ClientWithConnection extends Client implements KeptConnection {
  isUsed = false;

  constructor(origin: string | URL, options: Client.Options) {
    super(origin, options);
    this.on('connect', () => (this.isUsed = false));
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: ConnectionHandler): boolean {
    handler.onConnection?.(this);
    return super.dispatch(options, handler);
  }
}

/** For undici's agent. */
export function poolOf(origin: string | URL, options: object): Pool {
  return new Pool(origin, { ...options, factory: (its, of) => new ClientWithConnection(its, of) });
}

/** Of undici, for a server that has closed; of the operating system. */
const CLOSED: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** RFC 9110 §9.2.2. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

export function isClosed(error: Error): boolean {
  return CLOSED.has((error as NodeJS.ErrnoException).code);
}

/** Whether the server can tell a repetition from a second request. */
export function isRepeatable({ method, headers }: Hop): boolean {
  return IDEMPOTENT.has(method) || headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'idempotency-key');
}
