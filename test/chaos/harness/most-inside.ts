import { isOver } from './legal-moves.js';
import type { PlayChange } from './play-history.js';

/** The maximum number of these plays that were admitted and had not ended at any moment of the history. */
export function mostInside(changes: readonly PlayChange[], playIds: readonly string[]): number {
  const asked = new Set(playIds);
  const inside = new Set<string>();
  let most = 0;
  for (const { playId, set } of changes) {
    if (!asked.has(playId) || set.state === undefined) continue;
    if (set.state === 'RUN') inside.add(playId);
    else if (isOver(set.state as Parameters<typeof isOver>[0])) inside.delete(playId);
    most = Math.max(most, inside.size);
  }
  return most;
}
