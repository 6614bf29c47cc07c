import { Tracing } from './tracing.js';

export interface TracingOptions {
  /** Base address of a collector; null: nothing is traced. */
  readonly endpoint: string | null;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Of the traces that are begun here, 0 to 1. */
  readonly sampleRatio: number;
  /** Of the process, as the collector shows it. */
  readonly service: { readonly name: string; readonly version: string; readonly instance: string };
  /** Told of each batch that the collector did not take; nothing else comes of it. */
  readonly onTrouble: (error: unknown) => void;
  /** Told of spans that nobody will see: the collector did not take them, or more than may wait were waiting. */
  readonly onDropped?: (spans: number) => void;
  /** For the last batches when the process ends; default 2,000. */
  readonly closeWithinMs?: number;
}

/** The libraries of OpenTelemetry are loaded only where there is a collector. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { endpoint } = options;
  if (endpoint === null) return Tracing.OFF;
  const { OtlpSpans } = await import('./otlp-spans.js');
  return new Tracing(new OtlpSpans({ ...options, endpoint }));
}
