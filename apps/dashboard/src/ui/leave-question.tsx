import { Button, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { hasUnsaved, useUnsaved, type Unsaved } from '../session/unsaved';
import classes from './form.module.css';

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
  if (asked === null && blocker.status !== 'blocked') return null;
  const answer = (mayLeave: boolean): void => {
    asked?.(mayLeave);
    setAsked(null);
    (mayLeave ? blocker.proceed : blocker.reset)?.();
  };
  return (
    <Modal opened onClose={() => answer(false)} title="Leave without saving?" size="sm">
      <p>Not saved: {unsaved}.</p>
      <div className={classes.buttons}>
        <Button color="red.9" onClick={() => answer(true)}>
          Leave
        </Button>
        <Button variant="default" data-autofocus onClick={() => answer(false)}>
          Stay
        </Button>
      </div>
    </Modal>
  );
}
