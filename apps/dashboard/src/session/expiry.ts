import { useSyncExternalStore } from 'react';
import type { Me } from './me';

/** Why the page cannot go on as it is. */
type Halt =
  | { readonly why: 'ended' }
  /** Another tab has changed whose session it is: that is being looked at. */
  | { readonly why: 'unclear' }
  /** The session of this browser is another person's, or of another company. */
  | { readonly why: 'elsewhere'; readonly now: Me | null };

/**
 * The session ended or changed while the page was in use. Requests wait here, the page stays as it is under a dialog, and
 * everything goes on when the same person is back in the same company.
 */
let halt: Halt | null = null;
let waiting: PromiseWithResolvers<void> | null = null;
const listeners = new Set<() => void>();

export function signInAgain(): Promise<void> {
  // a page of another company stays covered
  return haltFor(halt?.why === 'elsewhere' ? halt : { why: 'ended' });
}

/** Until it is known whether the session is still the one of the page. */
export function holdRequests(): void {
  if (halt === null) void haltFor({ why: 'unclear' });
}

/** @param now who is signed in; null when that is not known */
export function coverPage(now: Me | null): void {
  void haltFor({ why: 'elsewhere', now });
}

export function resumeSession(): void {
  waiting?.resolve();
  waiting = null;
  halt = null;
  tell();
}

/** Resolves at once while nothing is wrong. */
export async function sessionIsBack(): Promise<void> {
  await waiting?.promise;
}

export function isExpired(): boolean {
  return halt?.why === 'ended';
}

export function useHalt(): Halt | null {
  return useSyncExternalStore(listen, () => halt);
}

function haltFor(reason: Halt): Promise<void> {
  halt = reason;
  waiting ??= Promise.withResolvers<void>();
  tell();
  return waiting.promise;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}
