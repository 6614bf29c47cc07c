import type { Output, WorkingModule } from '../layer-module.js';
import { runForEach, type LoopDeps } from './for-each.js';
import type { PreparedCall } from '../call/layer-call.js';
import { runPages } from './pages.js';
import { runRounds } from './rounds.js';

/**
 * The output of a layer that is called for each item, until its condition is true or page by page; null: it is one call.
 *
 * @throws ItemFailure, PausedCall, PausedSeries, LayerFailure as those
 */
export async function runLoop(
  work: PreparedCall,
  module: WorkingModule<unknown>,
  deps: LoopDeps,
): Promise<Output | unknown[] | null> {
  const { items, paging, until, definition } = work.layer;
  if (items) return runForEach(work, items, module, deps);
  if (until && definition.repeat) return runRounds(work, { module, until, repeat: definition.repeat }, deps);
  return paging && module.paging ? runPages(work, { module, paging: module.paging }, deps) : null;
}
