import { UnstorableError, type PlayKey, type PlayStore, type SessionWrite } from '@weft/engine';

/**
 * Stores a step of a play. When the store can never hold it, stores the play's end instead.
 *
 * @param endsFor writes that end the play with the data that is stored of it, each smaller than the one before
 * @returns what was stored; null when the play has changed meanwhile
 */
export async function storeOrEnd(
  store: Pick<PlayStore, 'write'>,
  key: PlayKey,
  step: SessionWrite,
  endsFor: (fault: UnstorableError) => readonly SessionWrite[],
): Promise<SessionWrite | null> {
  try {
    return (await store.write(key, step.write)) ? step : null;
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
    const [end, ...smaller] = endsFor(error);
    if (!end) throw error;
    return storeOrEnd(store, key, end, () => smaller);
  }
}
