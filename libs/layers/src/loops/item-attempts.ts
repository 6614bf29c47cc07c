/** The calls for one item of a loop: an item, a page or a round; or for one step of a layer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { KEEP_SLOT_MS, mayRetry, retryDelayMs, type DoneItems } from '@weft/engine';
import { LayerFailure, type Output } from '../layer-module.js';
import { PausedCall } from '../call/call-gate.js';
import { toLayerFailure } from '../call/failure.js';
import type { PreparedCall } from '../call/layer-call.js';
import { peerOf } from '../call/peer-answer.js';

export type ItemNoun = 'item' | 'page' | 'round' | 'step';

/** What a loop that is not called again in this play leaves. */
interface Left {
  /** Default: those of the item. */
  readonly attempts?: number;
  /** A retry takes these over. */
  readonly doneItems?: DoneItems | undefined;
  /** The next attempt in this play takes these over. */
  readonly keptItems?: DoneItems | undefined;
  /** The last item of the loop that has failed. */
  readonly failedUpTo?: number | undefined;
  readonly out?: Output | undefined;
}

/** An item that failed, with no call left that could be made here. */
export class ItemFailure extends LayerFailure {
  readonly doneItems?: DoneItems;
  readonly keptItems?: DoneItems;
  readonly failedUpTo?: number;

  constructor(
    readonly noun: ItemNoun,
    readonly index: number,
    /** Calls of this item that have ended. */
    readonly attempts: number,
    cause: LayerFailure,
    { doneItems, keptItems, failedUpTo, out }: Left = {},
  ) {
    super(cause.code, `${noun} ${index}: ${cause.message}`, out, {
      cause,
      ...(cause.answer && { answer: cause.answer }),
    });
    this.name = 'ItemFailure';
    if (doneItems) this.doneItems = doneItems;
    if (keptItems) this.keptItems = keptItems;
    if (failedUpTo !== undefined) this.failedUpTo = failedUpTo;
  }

  override get statusCode(): number | undefined {
    return this.cause instanceof LayerFailure ? this.cause.statusCode : undefined;
  }

  with(left: Left): ItemFailure {
    return new ItemFailure(this.noun, this.index, left.attempts ?? this.attempts, this.cause as LayerFailure, left);
  }
}

export type ItemEnd = { readonly out: Output; readonly attempt: number } | ItemFailure | PausedCall;

export interface ItemCall {
  readonly work: PreparedCall;
  readonly noun: ItemNoun;
  readonly index: number;
  /** Number of the first call, from 1. */
  readonly attempt: number;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Whether a failed call may be followed by another one. */
  readonly goesOn: () => boolean;
  readonly call: () => Promise<Output>;
}

/**
 * Calls until the item is done, or its next call is not made here: after a long pause the layer is called again. Instead of a
 * long wait before its next attempt the attempt before it fails: it is not made again for ever.
 */
export async function attemptItem(item: ItemCall): Promise<ItemEnd> {
  let last: ItemFailure | null = null;
  for (let attempt = item.attempt; ; attempt += 1) {
    const tried = await tryOnce(item, attempt, last);
    if ('end' in tried) return tried.end;
    last = tried.failure;
    await sleep(tried.pause, undefined, { signal: item.work.call.signal }).catch(() => undefined);
  }
}

type Tried = { readonly end: ItemEnd } | { readonly failure: ItemFailure; readonly pause: number };

async function tryOnce(item: ItemCall, attempt: number, last: ItemFailure | null): Promise<Tried> {
  const { noun, index, call } = item;
  try {
    return { end: { out: await call(), attempt } };
  } catch (error) {
    if (error instanceof PausedCall) return { end: last ?? error };
    const failure = new ItemFailure(noun, index, attempt, toLayerFailure(error));
    const pause = pauseAfter(failure, item);
    return pause === null ? { end: failure } : { failure: withoutAnswer(failure), pause };
  }
}

/** The failure as it is kept while the item is called again, without the answer that was refused: it may be large. */
function withoutAnswer({ noun, index, attempts, cause }: ItemFailure): ItemFailure {
  const { code, message, statusCode, answer, cause: origin } = cause as LayerFailure;
  const out = statusCode === undefined ? undefined : { statusCode };
  const kept = new LayerFailure(code, message, out, { cause: origin, ...(answer && { answer }) });
  return new ItemFailure(noun, index, attempts, kept);
}

/** Null: the item is not called again here. */
function pauseAfter(failure: ItemFailure, { work, serverNow, goesOn }: ItemCall): number | null {
  const { code, attempts, index } = failure;
  const { call, layer } = work;
  const peer = peerOf(failure, serverNow());
  const { retry } = layer.definition;
  if (!goesOn() || !mayRetry(retry, attempts, code, peer)) return null;
  const pause = retryDelayMs(retry, attempts, `${call.play._id}.${call.position}`, index, peer);
  return pause > KEEP_SLOT_MS ? null : pause;
}
