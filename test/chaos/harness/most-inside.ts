import { isOver } from './legal-moves.js';
import type { PlayChange } from './play-history.js';

/** How many of these plays were let in and had not ended, at most, at any one moment of the history. */
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
