import { EgressError, type EgressClient, type EgressRequest } from '@weft/egress';
import { WORK_CONTEXT, type TraceContext, type Tracing } from '@weft/observability';

/**
 * The same client, with a span for each request of a traced play. The trace continues at the peer, which gets `traceparent`
 * and `tracestate`, unless the layer sends a trace of its own. Paths and queries may contain secrets, so a span names the
 * host only.
 */
export function tracedEgress(client: EgressClient, tracing: Tracing): EgressClient {
  if (!tracing.isOn) return client;
  return {
    close: () => client.close(),
    request: async (request) => {
      const parent = WORK_CONTEXT.getStore()?.span ?? null;
      const method = request.method.toUpperCase();
      const span = tracing.begin(method, {
        kind: 'client',
        parent,
        attributes: { 'http.request.method': method, 'server.address': hostOf(request.url) },
      });
      if (!span) return client.request(request);
      try {
        const response = await client.request(withTrace(request, span));
        span.set({ 'http.response.status_code': response.statusCode });
        span.end(response.statusCode >= 400 ? String(response.statusCode) : undefined);
        return response;
      } catch (error) {
        span.end(error instanceof EgressError ? error.code : 'internal');
        throw error;
      }
    },
  };
}

function withTrace(request: EgressRequest, { traceparent, tracestate }: TraceContext): EgressRequest {
  const own = Object.keys(request.headers ?? {}).map((name) => name.toLowerCase());
  if (own.includes('traceparent')) return request;
  const state = own.includes('tracestate') || tracestate === undefined ? undefined : { tracestate };
  return { ...request, headers: { ...request.headers, traceparent, ...state } };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}
