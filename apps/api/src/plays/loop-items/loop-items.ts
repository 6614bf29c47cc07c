/** The items of a loop as they are stored: in the output of its layer, or in what the loop left. Which ones are shown is decided elsewhere. */
import { shownError, type DoneItems, type LayerDefinition, type LayerResult, type Play } from '@weft/engine';
import { entriesIn, type CollectedItem } from '@weft/layers';
import type { StartedItem } from '@weft/store';

export interface LoopItem extends Omit<CollectedItem, 'ok'> {
  readonly index: number;
  /** Null: its play has not ended. */
  readonly ok: boolean | null;
  /** Of an item that has started a play. */
  readonly playId: string | null;
  readonly state: string | null;
}

type Loop = Pick<LayerDefinition, 'forEach' | 'appId'>;

type OpenPayload = Parameters<typeof entriesIn>[1];

/** Of a layer that is DONE, from its whole output. */
export function* itemsOfOutput(out: unknown, layer: Loop): Generator<LoopItem> {
  if (!Array.isArray(out)) return;
  for (const [index, each] of (out as readonly unknown[]).entries()) yield toItem(index, each, layer);
}

/** Of a layer that is running, was interrupted, or failed: what is done, and what failed for good. */
export async function* itemsLeft(
  play: Pick<Play, '_id'>,
  left: DoneItems | undefined,
  layer: Loop,
  result: LayerResult | undefined,
  open: OpenPayload,
): AsyncGenerator<LoopItem> {
  const seen = new Set<number>();
  for await (const { index, out, failedIn } of left ? entriesIn(left, open) : []) {
    // one that failed in an earlier play of the chain is called again
    if (seen.has(index) || (failedIn !== undefined && failedIn !== play._id)) continue;
    seen.add(index);
    yield toItem(index, out, layer);
  }
  const error = result && shownError(result);
  const { item, statusCode = null } = result?.error ?? {};
  if (error && item !== undefined && !seen.has(item)) {
    yield { index: item, ok: false, out: null, error: { ...error, statusCode }, ...NO_PLAY };
  }
}

/** Whose plays have not ended: they follow those that have, since their outputs are not known. */
export function openItem({ item, playId, state }: StartedItem): LoopItem {
  return { index: item, ok: null, out: null, error: null, playId, state: state === 'NEW' ? 'RUN' : state };
}

const NO_PLAY = { playId: null, state: null };

function toItem(index: number, out: unknown, { forEach, appId }: Loop): LoopItem {
  const item = forEach?.onItemError === 'collect' ? (out as CollectedItem) : { ok: true, out, error: null };
  return { index, ok: item.ok, out: item.out, error: item.error, ...(appId === RUN_FLOW ? playOf(item.out) : NO_PLAY) };
}

const RUN_FLOW = 'run-flow';

function playOf(out: unknown): Pick<LoopItem, 'playId' | 'state'> {
  const { playId, state } = (out ?? {}) as Record<string, unknown>;
  return typeof playId === 'string' && typeof state === 'string' ? { playId, state } : NO_PLAY;
}
