import type { LayerTry, LayerTryEnd } from '@weft/layers';
import type { AuditEntryInput } from '@weft/store';

/** What the API asks of a worker: a layer to try, and the audit entry that the worker writes before the call. */
export interface LayerTryOrder {
  readonly asked: LayerTry;
  readonly entry: AuditEntryInput;
}

/** The worker's answer. */
export interface LayerTryAnswer extends LayerTryEnd {
  /** Of the whole output, as JSON. */
  readonly outBytes: number;
  /** Whether `out` is only the first part of the output. */
  readonly isCut: boolean;
}

/** How long the call of a layer that is tried may take. */
export const TRY_LIMIT_MS = 45_000;
