import { Children, startTransition, useEffect, useState, type ReactNode } from 'react';

/**
 * Draws what is in it one after the other, each in frames of its own, so that none takes long. Once all are there, a change is drawn
 * at once.
 */
export function InTurns({ children }: { readonly children: ReactNode }) {
  const parts = Children.toArray(children);
  const [drawn, setDrawn] = useState(0);
  const next = drawn + 1 < parts.length ? drawn + 1 : Infinity;
  useEffect(() => {
    if (drawn !== Infinity) startTransition(() => setDrawn(next));
  }, [drawn, next]);
  return parts.slice(0, drawn);
}
