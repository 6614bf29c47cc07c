import { readTraceContext, type Span, type TraceContext, type Tracing } from '@weft/observability';
import type { FastifyRequest } from 'fastify';

/** Probes and collectors request these every second; they are not traced. */
const UNTRACED = /^\/(api\/)?health(\/|$)|^\/metrics$/;

/** One span for each request, named by its route and never by the caller's path. */
export class RequestSpans {
  private readonly spans = new WeakMap<FastifyRequest, Span | null>();

  constructor(private readonly tracing: Tracing) {}

  /** @returns the trace context of the answer: our span's, else the caller's as it came; null when there is neither */
  begin(request: FastifyRequest): TraceContext | null {
    const given = readTraceContext(request.headers as Parameters<typeof readTraceContext>[0]);
    if (!this.tracing.isOn) return given;
    const { url } = request.routeOptions;
    const span = UNTRACED.test(url ?? '')
      ? null
      : this.tracing.begin(url === undefined ? request.method : `${request.method} ${url}`, {
          kind: 'server',
          parent: given ?? undefined,
          attributes: {
            'http.request.method': request.method,
            'weft.request.id': request.id,
            ...(url !== undefined && { 'http.route': url }),
          },
        });
    this.spans.set(request, span);
    return span ?? given;
  }

  /** Null: neither the request nor the work that it asks for is traced. */
  of(request: FastifyRequest): Span | null | undefined {
    return this.tracing.isOn ? this.spans.get(request) : undefined;
  }

  end(request: FastifyRequest, status: number): void {
    const span = this.of(request);
    if (!span) return;
    span.set({ 'http.response.status_code': status });
    span.end(status >= 500 ? String(status) : undefined);
  }
}
