import type { Metrics } from '@weft/observability';
import type { Logger } from 'pino';

/** Counts what is written to the payload store, and logs it at level debug. */
export function observePayloads(
  metrics: Pick<Metrics, 'payloadWritten'>,
  log: Logger,
): (kind: string, bytes: number) => void {
  return (kind, bytes) => {
    metrics.payloadWritten(kind, bytes);
    log.debug({ component: 'storage', kind, bytes }, 'a payload was stored beside its play');
  };
}
