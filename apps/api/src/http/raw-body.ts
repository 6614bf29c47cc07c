import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Takes any type of body, as bytes: its senders sign bytes. */
export const HOOKS_ROUTE = 'hooks/:token';
/** The same, for calls that answer a play that waits. */
export const CALL_BACKS_ROUTE = 'hooks/plays/:token';
/** Takes any type of body, as it arrives: it may be far larger than what is held in memory. */
export const UPLOADS = 'payloads';

const HOOK_PATHS: ReadonlySet<string | undefined> = new Set([`/${HOOKS_ROUTE}`, `/${CALL_BACKS_ROUTE}`]);
const STREAM_PATHS: ReadonlySet<string | undefined> = new Set([
  ...[`/api/v1/${UPLOADS}`, `/api/${UPLOADS}`],
  ...HOOK_PATHS,
]);

const CONTENT_TYPES = new WeakMap<FastifyRequest, string>();
/** For the parser that leaves the body unread. */
const STREAM = 'application/x-weft-stream';

type Routed = Pick<FastifyRequest, 'routeOptions'>;

/** Whether the route of a request decodes its body itself. */
export function takesCodedBody(request: Routed): boolean {
  return HOOK_PATHS.has(request.routeOptions.url);
}

function takesStream(request: Routed): boolean {
  return STREAM_PATHS.has(request.routeOptions.url);
}

/** The type as it was sent: Fastify answers 415 to what it cannot read as one, before any parser is asked. */
export function acceptAnyContentType(instance: FastifyInstance): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    const type = request.headers['content-type'];
    if (takesStream(request)) {
      if (type !== undefined) CONTENT_TYPES.set(request, type);
      request.headers['content-type'] = STREAM;
    }
    done();
  });
}

/**
 * Leaves the body unread (`request.raw`) for the handler of a route that takes a stream.
 *
 * @param bodyOf what the body is instead: undefined for a stream that the route reads
 */
export function parseStreams(
  instance: FastifyInstance,
  bodyOf: (request: FastifyRequest, takesStream: boolean) => unknown,
): void {
  instance.addContentTypeParser(STREAM, (request, _body, done) => done(null, bodyOf(request, takesStream(request))));
}

export function contentTypeOf(request: FastifyRequest): string | undefined {
  return CONTENT_TYPES.get(request);
}
