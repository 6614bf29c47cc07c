/** Traces over OTLP/HTTP. Loaded only by `openTracing`, and only if a collector is configured. */
import { ROOT_CONTEXT, SpanKind as OtelKind, SpanStatusCode, TraceFlags, trace, type Tracer } from '@opentelemetry/api';
import { ExportResultCode, TraceState, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';

import type { TracingOptions } from './open-tracing.js';
import { readTraceParent } from './trace-parent.js';
import type { Span, SpanAttributes, SpanKind, SpanSource, TraceContext } from './tracing.js';

/** Spans that may wait for a slow or unreachable collector: some megabytes. More are dropped. */
const MAX_WAITING = 4_096;
const MAX_BATCH = 512;
const SEND_EVERY_MS = 1_000;
const SEND_WITHIN_MS = 5_000;

const KINDS: Record<SpanKind, OtelKind> = {
  server: OtelKind.SERVER,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
  client: OtelKind.CLIENT,
  internal: OtelKind.INTERNAL,
};

export class OtlpSpans implements SpanSource {
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;
  private readonly closeWithinMs: number;

  constructor(options: TracingOptions & { readonly endpoint: string }) {
    const { endpoint, headers, sampleRatio, service } = options;
    this.closeWithinMs = options.closeWithinMs ?? 2_000;
    const exporter = new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      timeoutMillis: SEND_WITHIN_MS,
    });
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': service.name,
        'service.namespace': 'weft',
        'service.version': service.version,
        'service.instance.id': service.instance,
      }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
      spanProcessors: [countingSpans(exporter, options)],
    });
    this.tracer = this.provider.getTracer('weft', service.version);
  }

  begin(name: string, kind: SpanKind, of: TraceContext | null, attributes: SpanAttributes): Span | null {
    const parent = of && readTraceParent(of.traceparent);
    const tracestate = parent ? of?.tracestate : undefined;
    const context = parent
      ? trace.setSpanContext(ROOT_CONTEXT, {
          traceId: parent.traceId,
          spanId: parent.spanId,
          traceFlags: parent.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
          isRemote: true,
          ...(tracestate !== undefined && { traceState: new TraceState(tracestate) }),
        })
      : ROOT_CONTEXT;
    const span = this.tracer.startSpan(name, { kind: KINDS[kind], attributes }, context);
    if (!span.isRecording()) return null;
    const { traceId, spanId } = span.spanContext();
    return {
      traceId,
      traceparent: `00-${traceId}-${spanId}-01`,
      ...(tracestate !== undefined && { tracestate }),
      set: (more) => void span.setAttributes(more),
      end: (fault) => {
        if (fault !== undefined) {
          span.setAttribute('error.type', fault);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.closeWithinMs)));
    await Promise.race([this.provider.shutdown().catch(() => undefined), late]);
    clearTimeout(timer);
  }
}

type Watchers = Pick<TracingOptions, 'onTrouble' | 'onDropped'>;

/** Batches ended spans; the library silently drops those without room, so they are counted here. */
function countingSpans(exporter: SpanExporter, { onTrouble, onDropped }: Watchers): SpanProcessor {
  let waiting = 0;
  const batches = new BatchSpanProcessor({
    exporter: {
      export: (spans: ReadableSpan[], done: (result: ExportResult) => void) => {
        waiting -= spans.length;
        exporter.export(spans, (result) => {
          if (result.code !== ExportResultCode.SUCCESS) {
            onTrouble(result.error);
            onDropped?.(spans.length);
          }
          done({ code: ExportResultCode.SUCCESS }); // already reported; the library would print it once more
        });
      },
      forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: MAX_WAITING,
    maxExportBatchSize: MAX_BATCH,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: SEND_WITHIN_MS,
  });
  return {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd: (span) => {
      if (waiting >= MAX_WAITING) {
        onDropped?.(1);
        return;
      }
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
