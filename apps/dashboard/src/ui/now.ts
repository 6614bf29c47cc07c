import { useSyncExternalStore } from 'react';

/** One clock for all that ticks on the page. It stands still while nobody looks. */
const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  if (document.hidden) return;
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const never = (): (() => void) => () => undefined;

/** The time, new every second. */
export function useNow(isTicking = true): number {
  return useSyncExternalStore(isTicking ? listen : never, () => nowMs);
}
