/** The items of a loop as they are stored: in the output of its layer, or in what the loop left. Which ones are shown is decided elsewhere. */
import { shownError, type DoneItems, type LayerDefinition, type LayerResult, type Play } from '@weft/engine';
import { entriesIn, loopKindOf, worksInSteps, type CollectedItem } from '@weft/layers';
import type { StartedItem } from '@weft/store';

export interface LoopItem extends Omit<CollectedItem, 'ok'> {
  /** Of the item, page, round or step, from 0. */
  readonly index: number;
  /** Null: its play has not ended. */
  readonly ok: boolean | null;
  /** Calls that were made for it; null: it is not known. */
  readonly attempts: number | null;
  /** Of an item that has started a play. */
  readonly playId: string | null;
  readonly state: string | null;
}

type Loop = LayerDefinition;

type OpenPayload = Parameters<typeof entriesIn>[1];

/** Of a layer that is DONE, from its whole output. Of rounds it is the output of the last one, which does not say how many there were. */
export function* itemsOfOutput(out: unknown, layer: Loop): Generator<LoopItem> {
  const kind = loopKindOf(layer);
  const { pages, steps } = (out ?? {}) as { readonly pages?: unknown; readonly steps?: unknown };
  const outs = { item: out, page: pages, step: steps, round: null }[kind ?? 'round'];
  if (!Array.isArray(outs)) return;
  for (const [index, each] of (outs as readonly unknown[]).entries()) yield toItem(index, each, layer);
}

/** Of a layer that is running, was interrupted, or failed: what is done, and what failed for good. */
export async function* itemsLeft(
  play: Pick<Play, '_id'>,
  left: DoneItems | undefined,
  layer: Loop,
  result: LayerResult | undefined,
  /** Of the item that failed: what it kept. */
  refused: unknown,
  open: OpenPayload,
): AsyncGenerator<LoopItem> {
  const seen = new Set<number>();
  const isStep = worksInSteps(layer.appId);
  for await (const { index, digest, out, failedIn } of left ? entriesIn(left, open) : []) {
    // one that failed in an earlier play of the chain is called again
    if (seen.has(index) || (failedIn !== undefined && failedIn !== play._id)) continue;
    seen.add(index);
    // with its digest a step can be replayed: docs/flows.md "Dry runs and test cases"
    yield toItem(index, isStep ? { ...(out as object), digest } : out, layer);
  }
  const error = result && shownError(result);
  const { item, statusCode = null } = result?.error ?? {};
  // the loop has failed as a whole after its last round, which is there
  if (error && error.code !== 'repeat_exhausted' && item !== undefined && !seen.has(item)) {
    const { attempts } = result;
    yield { index: item, ok: false, out: refused, error: { ...error, statusCode }, attempts, ...NO_PLAY };
  }
}

/** Whose plays have not ended: they follow those that have, since their outputs are not known. */
export function openItem({ item, playId, state }: StartedItem): LoopItem {
  return {
    index: item,
    ok: null,
    out: null,
    error: null,
    attempts: null,
    playId,
    state: state === 'NEW' ? 'RUN' : state,
  };
}

const NO_PLAY = { playId: null, state: null };

function toItem(index: number, out: unknown, { forEach, appId }: Loop): LoopItem {
  const item = forEach?.onItemError === 'collect' ? (out as CollectedItem) : { ok: true, out, error: null };
  const { ok, error } = item;
  return { index, ok, out: item.out, error, attempts: null, ...(appId === RUN_FLOW ? playOf(item.out) : NO_PLAY) };
}

const RUN_FLOW = 'run-flow';

function playOf(out: unknown): Pick<LoopItem, 'playId' | 'state'> {
  const { playId, state } = (out ?? {}) as Record<string, unknown>;
  return typeof playId === 'string' && typeof state === 'string' ? { playId, state } : NO_PLAY;
}
