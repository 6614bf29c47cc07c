import { Button, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { hasUnsaved, useUnsaved } from '../session/unsaved';
import classes from './form.module.css';

interface LeaveQuestionProps {
  readonly isDirty: boolean;
  /** What is not saved, in words. */
  readonly unsaved: string;
}

/** Asks before the page is left, or the session that it belongs to, with changes that are not saved. */
export function LeaveQuestion({ isDirty, unsaved }: LeaveQuestionProps) {
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty && hasUnsaved(),
    withResolver: true,
  });
  const [asked, setAsked] = useState<((mayLeave: boolean) => void) | null>(null);
  useUnsaved(isDirty, () => {
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
