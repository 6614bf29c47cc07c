import { Tracing } from './tracing.js';

export interface TracingOptions {
  /** Base address of a collector; null: no tracing. */
  readonly endpoint: string | null;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Share of the traces that begin here, 0 to 1. */
  readonly sampleRatio: number;
  /** Name of the process, as the collector shows it. */
  readonly service: { readonly name: string; readonly version: string; readonly instance: string };
  /** Called for each batch that the collector did not accept; there is no other consequence. */
  readonly onTrouble: (error: unknown) => void;
  /** Called with the number of lost spans: the collector did not accept them, or too many were waiting. */
  readonly onDropped?: (spans: number) => void;
  /** Time for the last batches when the process ends; default 2,000. */
  readonly closeWithinMs?: number;
}

/** The libraries of OpenTelemetry are loaded only where there is a collector. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { endpoint } = options;
  if (endpoint === null) return Tracing.OFF;
  const { OtlpSpans } = await import('./otlp-spans.js');
  return new Tracing(new OtlpSpans({ ...options, endpoint }));
}
