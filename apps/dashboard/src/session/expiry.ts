import { useSyncExternalStore } from 'react';

/**
 * The session ended while the page was in use. Requests wait here, the page stays as it is under a dialog, and everything
 * goes on when the same person is back in the same company.
 */
let waiting: PromiseWithResolvers<void> | null = null;
const listeners = new Set<() => void>();

export function signInAgain(): Promise<void> {
  waiting ??= Promise.withResolvers<void>();
  tell();
  return waiting.promise;
}

export function resumeSession(): void {
  waiting?.resolve();
  waiting = null;
  tell();
}

export function isExpired(): boolean {
  return waiting !== null;
}

export function useIsExpired(): boolean {
  return useSyncExternalStore(listen, isExpired);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}
