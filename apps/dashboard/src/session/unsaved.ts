import { useEffect, useEffectEvent } from 'react';
import { useLatest } from '../ui/use-latest';

/** Something that somebody typed and has not saved. */
export interface Unsaved {
  /** What it is: `2 added, 1 changed`. */
  readonly words: string;
  /** Saves it, and gives the flow's version then; null: it is not saved, and the page shows why. Null where a dialog cannot save it. */
  readonly save: (() => Promise<number | null>) | null;
}

interface Keeper {
  readonly ask: () => Promise<boolean>;
  readonly unsaved: () => Unsaved;
}

/** Who has it is asked before the page is left for good. */
const keepers = new Set<Keeper>();
let isLeaving = false;

/** @param ask whether what is unsaved may be lost */
export function useUnsaved(isDirty: boolean, unsaved: Unsaved, ask: () => Promise<boolean>): void {
  const asked = useEffectEvent(ask);
  // a dialog asks when it opens
  const now = useLatest(() => unsaved);
  useEffect(() => {
    if (!isDirty) return;
    const keeper: Keeper = { ask: () => asked(), unsaved: now };
    keepers.add(keeper);
    return () => {
      keepers.delete(keeper);
    };
  }, [isDirty, now]);
}

/** What the page has that is not saved, at this moment; null: nothing. */
export function unsavedOfPage(): Unsaved | null {
  for (const { unsaved } of keepers) return unsaved();
  return null;
}

export function hasUnsaved(): boolean {
  return keepers.size > 0 && !isLeaving;
}

/** Asks for all that would be lost. */
export async function mayLeave(): Promise<boolean> {
  for (const { ask } of [...keepers]) if (!(await ask())) return false;
  return true;
}

/** Also out of the browser's memory of pages: `replace` leaves no page of the old session to go back to. It asks nothing. */
export function leave(path: string): void {
  isLeaving = true;
  location.replace(path);
}
