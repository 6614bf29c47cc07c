/** The entries of a loop that collects the failures of its items. */
import { cutText } from '@weft/kernel';
import type { LayerFailure } from '../layer-module.js';
import { MAX_MESSAGE_BYTES, MISSING_FIXTURE } from '../call/failure.js';

export interface CollectedItem {
  readonly ok: boolean;
  /** Of a failed item: what its failure kept, as of a response that was refused. */
  readonly out: unknown;
  readonly error: { readonly code: string; readonly message: string; readonly statusCode: number | null } | null;
}

export function doneItem(out: unknown): CollectedItem {
  return { ok: true, out, error: null };
}

export function failedItem({ code, message, statusCode, out }: LayerFailure): CollectedItem {
  const error = { code, message: cutText(message, MAX_MESSAGE_BYTES), statusCode: statusCode ?? null };
  return { ok: false, out: out ?? null, error };
}

/** Failures that say nothing about their item: the play was lost, or the dry run has no answer for the layer. */
const OF_THE_LAYER: readonly string[] = ['cancelled', MISSING_FIXTURE];

export function isOfItem({ code }: LayerFailure): boolean {
  return !OF_THE_LAYER.includes(code);
}
