import type { RunWindow } from './run-window.js';
import type { TakenUp } from './window-parts.js';

/**
 * Gives back the places that were taken for plays that did not go on after all: cancelled, held or answered meanwhile.
 *
 * @param taken by company
 * @param used the plays that went on
 */
export async function giveBack(
  window: Pick<RunWindow, 'finish'>,
  taken: ReadonlyMap<string, TakenUp>,
  used: ReadonlySet<string>,
): Promise<void> {
  const unused = [...taken].map(([companyId, { fresh }]) => [companyId, fresh.filter((id) => !used.has(id))] as const);
  const some = unused.filter(([, ids]) => ids.length > 0);
  if (some.length > 0) await window.finish(new Map(some));
}
