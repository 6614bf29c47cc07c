export type SpanKind = 'server' | 'producer' | 'consumer' | 'client' | 'internal';
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** W3C trace context: what another process needs to continue a trace. */
export interface TraceContext {
  /** The format of the header of that name. */
  readonly traceparent: string;
  /** The caller's header of that name, validated; left out when the caller sent no such header. */
  readonly tracestate?: string;
}

/** A traced piece of work. Only spans that are kept are created; without a span, nothing is traced. */
export interface Span extends TraceContext {
  readonly traceId: string;
  set(attributes: SpanAttributes): void;
  /** @param fault what went wrong, in one word; nothing that a tenant wrote */
  end(fault?: string): void;
}

export interface SpanStart {
  readonly kind: SpanKind;
  /**
   * Its parent: a span of this process, or the context of another process. Null: the parent is not traced, so neither is
   * this. Left out: it begins a trace.
   */
  readonly parent?: TraceContext | null;
  readonly attributes?: SpanAttributes;
}

/** Creates spans, if traces are collected. */
export interface SpanSource {
  begin(name: string, kind: SpanKind, parent: TraceContext | null, attributes: SpanAttributes): Span | null;
  close(): Promise<void>;
}

const NOTHING: SpanAttributes = {};

/** The traces of one process. Without a collector, no span is created, and a call costs one comparison. */
export class Tracing {
  static readonly OFF = new Tracing(null);

  constructor(private readonly source: SpanSource | null) {}

  get isOn(): boolean {
    return this.source !== null;
  }

  /** @returns null when this is not traced */
  begin(name: string, { kind, parent, attributes = NOTHING }: SpanStart): Span | null {
    if (this.source === null || parent === null) return null;
    return this.source.begin(name, kind, parent ?? null, attributes);
  }

  /** Sends the waiting spans, within a time limit. */
  async close(): Promise<void> {
    await this.source?.close();
  }
}
