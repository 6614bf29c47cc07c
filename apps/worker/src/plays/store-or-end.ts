import { UnstorableError, type PlayKey, type SessionWrite } from '@weft/engine';
import type { PlayRunDeps } from './play-run-deps.js';

export interface StoredStep {
  readonly step: SessionWrite;
  /** MongoDB's clock; only of the end of a play that somebody watches, and not of each. */
  readonly completedAt?: Date;
}

/**
 * Stores a step of a play. When the store can never hold it, stores the play's end instead.
 *
 * @param endsFor writes that end the play with the data that is stored of it, each smaller than the one before
 * @returns what was stored; null when the play has changed meanwhile
 */
export async function storeOrEnd(
  deps: Pick<PlayRunDeps, 'store' | 'events'>,
  key: PlayKey,
  step: SessionWrite,
  endsFor: (fault: UnstorableError) => readonly SessionWrite[],
): Promise<StoredStep | null> {
  const { store, events } = deps;
  const { write } = step;
  try {
    if (!write.touch.includes('completedAt') || !events.isWatched(key.companyId))
      return (await store.write(key, write)) ? { step } : null;
    const { isStored, completedAt } = await store.writeEnd(key, write);
    return isStored ? { step, completedAt } : null;
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
    const [end, ...smaller] = endsFor(error);
    if (!end) throw error;
    return storeOrEnd(deps, key, end, () => smaller);
  }
}
