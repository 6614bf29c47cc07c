import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';

export interface DrainLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** As many bytes as the largest body that any operation takes has; as long as a client has patience for. */
const DRAIN_LIMITS: DrainLimits = { bytes: 64 * 1024 * 1024, ms: 10_000 };

/**
 * An answer that does not wait for the request's body, such as 413, is sent when the rest of the body was read and thrown away. A client
 * that is still sending would otherwise meet a closed connection and never read the answer. Beyond the limits the answer is sent at once
 * and the connection closed, so that nobody keeps a connection by sending on.
 */
export function drainUnreadBodies(server: FastifyInstance, limits: DrainLimits = DRAIN_LIMITS): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (isRead(request)) return done(null, payload);
    void drain(request.raw, limits).then(() => {
      if (!hasEnded(request.raw)) closeAfter(reply);
      done(null, payload);
    });
  });
}

function isRead({ headers, raw }: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return (coding === undefined && (length === undefined || length === '0')) || hasEnded(raw);
}

function hasEnded(body: IncomingMessage): boolean {
  return body.complete || body.readableEnded;
}

/** Resolves when the body has ended, or no more of it is to be read. */
async function drain(body: IncomingMessage, limits: DrainLimits): Promise<void> {
  if (body.destroyed || Number(body.headers['content-length']) > limits.bytes) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limits.ms);
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.byteLength;
    if (bytes > limits.bytes) resolve();
  };
  const ends = ['end', 'close', 'error'] as const;
  body.on('data', count);
  for (const end of ends) body.on(end, resolve);
  body.resume();
  await promise;
  clearTimeout(timer);
  body.off('data', count);
  for (const end of ends) body.off(end, resolve);
  if (!hasEnded(body)) body.pause();
}

/** What still comes must not be read as the next request. */
function closeAfter(reply: FastifyReply): void {
  void reply.header('connection', 'close');
}
