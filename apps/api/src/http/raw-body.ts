import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Takes any type of body, as bytes: its senders sign bytes. */
export const HOOKS_ROUTE = 'hooks/:token';

const CONTENT_TYPES = new WeakMap<FastifyRequest, string>();
const BYTES = 'application/octet-stream';

/** Whether the route of a request reads the bytes of its body itself. */
export function takesRawBody(request: Pick<FastifyRequest, 'routeOptions'>): boolean {
  return request.routeOptions.url === `/${HOOKS_ROUTE}`;
}

/** The type as it was sent: Fastify answers 415 to what it cannot read as one, before any parser is asked. */
export function acceptAnyContentType(instance: FastifyInstance): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    const type = takesRawBody(request) ? request.headers['content-type'] : undefined;
    if (type !== undefined) {
      CONTENT_TYPES.set(request, type);
      request.headers['content-type'] = BYTES;
    }
    done();
  });
}

export function contentTypeOf(request: FastifyRequest): string | undefined {
  return CONTENT_TYPES.get(request);
}
