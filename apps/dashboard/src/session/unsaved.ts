import { useEffect, useEffectEvent } from 'react';

/** What somebody typed and has not saved: who has it is asked before the page is left for good. */
const keepers = new Set<() => Promise<boolean>>();
let isLeaving = false;

/** @param ask whether what is unsaved may be lost */
export function useUnsaved(isDirty: boolean, ask: () => Promise<boolean>): void {
  const asked = useEffectEvent(ask);
  useEffect(() => {
    if (!isDirty) return;
    const keeper = (): Promise<boolean> => asked();
    keepers.add(keeper);
    return () => {
      keepers.delete(keeper);
    };
  }, [isDirty]);
}

export function hasUnsaved(): boolean {
  return keepers.size > 0 && !isLeaving;
}

/** Asks for all that would be lost. */
export async function mayLeave(): Promise<boolean> {
  for (const ask of [...keepers]) if (!(await ask())) return false;
  return true;
}

/** Also out of the browser's memory of pages: `replace` leaves no page of the old session to go back to. It asks nothing. */
export function leave(path: string): void {
  isLeaving = true;
  location.replace(path);
}
