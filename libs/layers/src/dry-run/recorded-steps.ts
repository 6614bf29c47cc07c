/** What a play that has ended stored of the steps of its layers. */
import { bytesOf, entriesIn } from '../loops/done-items.js';
import type { LayerPayloads } from '../call/layer-payloads.js';
import { moduleOf } from '../registry.js';
import type { RecordedStep } from '../stepping-module.js';
import { recordedLayers, type RecordedPlay } from './recorded-play.js';

/** Larger records are not read: the layer is compared by its arguments. */
const MOST_BYTES = 8 * 1024 * 1024;

/** By ref, with their digests, in their order. Layers whose steps are not stored, or were not as their module reads them, are not there. */
export async function recordedSteps(
  recorded: RecordedPlay,
  open: LayerPayloads['open'],
): Promise<ReadonlyMap<string, readonly RecordedStep[]>> {
  const { play } = recorded;
  const found = new Map<string, readonly RecordedStep[]>();
  for (const [ref, { appId, result }] of recordedLayers(recorded)) {
    const module = moduleOf(appId);
    const left = result.doneItems ?? play.doneItems?.[result.position];
    if (module?.effect !== 'steps' || !left || bytesOf(left) > MOST_BYTES) continue;
    const entries: unknown[] = [];
    for await (const { index, digest, out } of entriesIn(left, (payload) => open(play.company_id, payload)))
      entries[index] ??= { ...(out as object), digest };
    const { data } = module.recordSchema.array().safeParse(entries);
    if (data) found.set(ref, data);
  }
  return found;
}
