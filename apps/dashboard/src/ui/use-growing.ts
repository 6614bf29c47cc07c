import { startTransition, useEffect, useState } from 'react';

/** More than a screen shows. */
const FIRST = 40;
const STEP = 40;
/** A frame between two parts. */
const PAUSE_MS = 16;

/**
 * How many of a long list are drawn: at first those in sight, then the others, a part at a time, so that no frame takes long. Once all
 * are there it is `Infinity`: what is added later comes at once.
 */
export function useGrowing(count: number): number {
  const [drawn, setDrawn] = useState(() => (count > FIRST ? FIRST : Infinity));
  useEffect(() => {
    if (drawn === Infinity) return undefined;
    const grow = (): void => startTransition(() => setDrawn(drawn + STEP < count ? drawn + STEP : Infinity));
    const timer = setTimeout(grow, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [drawn, count]);
  return drawn;
}
