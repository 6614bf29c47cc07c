import type { AdmissionWindow, TakenRoom } from '../window/admission-window.js';

/**
 * Gives back the room that was taken for plays that did not continue: they were cancelled, held or answered meanwhile.
 *
 * @param taken by company
 * @param used the plays that continued
 */
export async function giveBack(
  window: Pick<AdmissionWindow, 'finish'>,
  taken: ReadonlyMap<string, TakenRoom>,
  used: ReadonlySet<string>,
): Promise<void> {
  const unused = [...taken].map(([companyId, { fresh }]) => [companyId, fresh.filter((id) => !used.has(id))] as const);
  const some = unused.filter(([, ids]) => ids.length > 0);
  if (some.length > 0) await window.finish(new Map(some));
}
