export type SpanKind = 'server' | 'producer' | 'consumer' | 'client' | 'internal';
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** W3C trace context: what somebody elsewhere needs to go on with a trace. */
export interface TraceContext {
  /** As in the header of that name. */
  readonly traceparent: string;
  /** The header of that name as the caller sent it, fit to be sent on; left out when there was none. */
  readonly tracestate?: string;
}

/** A piece of work that is being traced. Only spans that are kept are made; where there is none, nothing is traced. */
export interface Span extends TraceContext {
  readonly traceId: string;
  set(attributes: SpanAttributes): void;
  /** @param fault what went wrong, in one word; nothing that a tenant wrote */
  end(fault?: string): void;
}

export interface SpanStart {
  readonly kind: SpanKind;
  /**
   * What it is a part of: a span of this process, or the context of another's. Null: of something that is not traced, so
   * neither is this. Left out: it begins a trace.
   */
  readonly parent?: TraceContext | null;
  readonly attributes?: SpanAttributes;
}

/** What makes spans, where traces are collected. */
export interface SpanSource {
  begin(name: string, kind: SpanKind, parent: TraceContext | null, attributes: SpanAttributes): Span | null;
  close(): Promise<void>;
}

const NOTHING: SpanAttributes = {};

/** The traces of one process. Without a collector nothing is ever made, and asking costs one comparison. */
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

  /** Sends what is waiting, if that does not take long. */
  async close(): Promise<void> {
    await this.source?.close();
  }
}
