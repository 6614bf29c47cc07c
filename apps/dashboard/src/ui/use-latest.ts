import { useLayoutEffect, useRef, useState } from 'react';

/**
 * A function that stays the same and does what the last render says: rows that get it are not drawn again because of it. For
 * events, not to be called while something is drawn.
 */
export function useLatest<Args extends readonly unknown[], Result>(now: (...args: Args) => Result) {
  const latest = useRef(now);
  useLayoutEffect(() => {
    latest.current = now;
  });
  const [stays] = useState(
    () =>
      (...args: Args): Result =>
        latest.current(...args),
  );
  return stays;
}
