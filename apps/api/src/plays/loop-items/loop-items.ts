/** The items of a loop as they are stored: in the output of its layer, or in what the loop left. Which ones are shown is decided elsewhere. */
import { shownError, type DoneItems, type LayerDefinition, type LayerResult, type Play } from '@weft/engine';
import { entriesIn, type CollectedItem } from '@weft/layers';

export interface LoopItem extends CollectedItem {
  readonly index: number;
}

type OpenPayload = Parameters<typeof entriesIn>[1];

/** Of a layer that is DONE, from its whole output. */
export function* itemsOfOutput(out: unknown, { forEach }: LayerDefinition): Generator<LoopItem> {
  if (!Array.isArray(out)) return;
  const collects = forEach?.onItemError === 'collect';
  for (const [index, each] of (out as readonly unknown[]).entries()) yield toItem(index, each, collects);
}

/** Of a layer that is running, was interrupted, or failed: what is done, and what failed for good. */
export async function* itemsLeft(
  play: Pick<Play, '_id'>,
  left: DoneItems | undefined,
  { forEach }: LayerDefinition,
  result: LayerResult | undefined,
  open: OpenPayload,
): AsyncGenerator<LoopItem> {
  const collects = forEach?.onItemError === 'collect';
  const seen = new Set<number>();
  for await (const { index, out, failedIn } of left ? entriesIn(left, open) : []) {
    // one that failed in an earlier play of the chain is called again
    if (seen.has(index) || (failedIn !== undefined && failedIn !== play._id)) continue;
    seen.add(index);
    yield toItem(index, out, collects);
  }
  const error = result && shownError(result);
  const { item, statusCode = null } = result?.error ?? {};
  if (error && item !== undefined && !seen.has(item)) {
    yield { index: item, ok: false, out: null, error: { ...error, statusCode } };
  }
}

function toItem(index: number, out: unknown, collects: boolean): LoopItem {
  if (!collects) return { index, ok: true, out, error: null };
  const { ok, error, ...rest } = out as CollectedItem;
  return { index, ok, out: rest.out, error };
}
