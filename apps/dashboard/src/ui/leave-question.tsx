import { useBlocker } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { hasUnsaved, useUnsaved, type Unsaved } from '../session/unsaved';

const dialog = async () => ({ default: (await import('./leave-dialog')).LeaveDialog });
const LeaveDialog = lazy(dialog);

interface LeaveQuestionProps {
  readonly isDirty: boolean;
  /** What is not saved, in words. */
  readonly unsaved: string;
  /** How a dialog saves it that needs it saved; left out: it cannot. */
  readonly save?: Unsaved['save'];
}

/** Asks before the page is left, or the session that it belongs to, with changes that are not saved. */
export function LeaveQuestion({ isDirty, unsaved, save = null }: LeaveQuestionProps) {
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty && hasUnsaved(),
    withResolver: true,
  });
  const [asked, setAsked] = useState<((mayLeave: boolean) => void) | null>(null);
  useUnsaved(isDirty, { words: unsaved, save }, () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    setAsked(() => resolve);
    return promise;
  });
  // the question must not wait for a server that may be gone by then
  useEffect(() => {
    if (!isDirty) return undefined;
    const timer = setTimeout(() => void dialog());
    return () => clearTimeout(timer);
  }, [isDirty]);
  if (asked === null && blocker.status !== 'blocked') return null;
  const answer = (mayLeave: boolean): void => {
    asked?.(mayLeave);
    setAsked(null);
    (mayLeave ? blocker.proceed : blocker.reset)?.();
  };
  return (
    <Suspense>
      <LeaveDialog unsaved={unsaved} onAnswer={answer} />
    </Suspense>
  );
}
