const EVERY_MS = 10_000;

/** What would be told at each of many failures in a row (a store is away) is told once in ten seconds. */
export function rarely(tell: (error: unknown) => void): (error: unknown) => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - toldAtMs < EVERY_MS) return;
    toldAtMs = performance.now();
    tell(error);
  };
}
