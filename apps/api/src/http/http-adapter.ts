import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { createAdapter, type AdapterParts } from '@weft/process';
import { WeftError } from '@weft/kernel';
import { BodyFault } from './body-fault.js';
import { allowOrigins } from './cors.js';
import { parseJsonBody } from './json-body.js';
import { acceptAnyContentType, parseStreams, takesCodedBody } from './raw-body.js';
import { rememberRoutes } from './route-table.js';

/**
 * The HTTP server of a process that serves the API: the server of libs/process with its limits, and how bodies are read. An
 * unreadable body is not refused here but after the guards (`BodyFaultGuard`), so that the caller is checked first.
 */
export function createApiAdapter({ settings }: Pick<AdapterParts, 'settings'>): FastifyAdapter {
  const adapter = createAdapter();
  const instance = adapter.getInstance();
  rememberRoutes(instance);
  allowOrigins(adapter, settings.server.corsOrigins);
  acceptAnyContentType(instance);
  instance.removeAllContentTypeParsers();
  const { bodyLimit } = instance.initialConfig;
  adapter.useBodyParser('application/json', false, { bodyLimit }, (request, body, done) => {
    if (isEncoded(request)) return done(null, ENCODED);
    const isUtf8 = body.length === 0 || IS_UTF8.test(request.headers['content-type'] ?? '');
    done(null, isUtf8 ? readBody(body) : OTHER_CHARSET);
  });
  parseStreams(instance, (request, isStream) => {
    if (isEncoded(request) && !takesCodedBody(request)) return ENCODED;
    return isStream ? undefined : UNSUPPORTED;
  });
  adapter.useBodyParser('*', false, { bodyLimit }, (request, body, done) => {
    if (isEncoded(request)) return done(null, ENCODED);
    done(null, body.length === 0 ? undefined : UNSUPPORTED);
  });
  return adapter;
}

const UNSUPPORTED = new BodyFault(
  new WeftError('unsupported_media_type', 'The body must be sent with Content-Type: application/json.'),
);

/** RFC 9110 §15.5.16: says which codings are taken. */
const ENCODED = new BodyFault(
  new WeftError('unsupported_media_type', 'The body must be sent as it is, without Content-Encoding.'),
  { 'accept-encoding': 'identity' },
);

/** Of any route: a body that nobody decoded would be taken for what it is not. */
function isEncoded({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): boolean {
  const coding = headers['content-encoding'];
  return typeof coding === 'string' && !/^\s*(identity)?\s*$/i.test(coding);
}

/** JSON is UTF-8 and says no charset (RFC 8259 §8.1). What one side would read as another text than the other is refused. */
const IS_UTF8 = /^[^;]*(;(?!\s*charset\s*=)[^;]*|;\s*charset\s*=\s*"?(utf-?8|us-ascii)"?\s*)*$/i;

const OTHER_CHARSET = new BodyFault(
  new WeftError('unsupported_media_type', 'The body must be JSON in UTF-8: send application/json without a charset.'),
);

function readBody(body: Buffer): unknown {
  try {
    return parseJsonBody(body);
  } catch (error) {
    if (error instanceof WeftError) return new BodyFault(error);
    throw error;
  }
}
