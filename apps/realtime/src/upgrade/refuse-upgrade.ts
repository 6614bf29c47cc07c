import { problemOf } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import { isStoreUnavailable } from '@weft/store';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long a refused peer may take to read the answer. */
const LINGER_MS = 2_000;
const STORE_RETRY_SECONDS = 2;

/** Turns anything that was thrown before the handshake into an error that a client may see. */
export function toRefusal(error: unknown): WeftError {
  if (error instanceof WeftError) return error;
  if (isStoreUnavailable(error)) {
    return new WeftError('store_unavailable', 'The database cannot be reached just now; try again in a moment.', {
      retryAfterSeconds: STORE_RETRY_SECONDS,
      cause: error,
    });
  }
  return new WeftError('internal', 'Something went wrong on our side. The request id finds it in the log.', {
    cause: error,
  });
}

/** Answers an upgrade request with a problem document, and closes the connection. */
export function refuseUpgrade(socket: Duplex, error: WeftError, instance: string, requestId: string): void {
  const body = JSON.stringify(problemOf(error, instance, requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    ...(error.status === 401 ? ['WWW-Authenticate: Bearer'] : []),
    ...(error.retryAfterSeconds === undefined ? [] : [`Retry-After: ${error.retryAfterSeconds}`]),
  ];
  const late = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(late));
  socket.resume(); // unread bytes that the peer sent after its request would turn our answer into a connection reset
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
