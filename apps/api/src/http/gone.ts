import type { FastifyReply } from 'fastify';

/** Aborted when the client has disconnected: what it asked for is needed no more. */
export function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.closed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
