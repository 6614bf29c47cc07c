import { Button, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import classes from './editor.module.css';

/** Asks before the page is left with changes that are not saved. */
export function LeaveQuestion({ isDirty, unsaved }: { readonly isDirty: boolean; readonly unsaved: string }) {
  const blocker = useBlocker({ shouldBlockFn: () => isDirty, enableBeforeUnload: () => isDirty, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <Modal opened onClose={blocker.reset} title="Leave without saving?" size="sm">
      <p>Not saved: {unsaved}.</p>
      <div className={classes.buttons}>
        <Button color="red.9" onClick={blocker.proceed}>
          Leave
        </Button>
        <Button variant="default" data-autofocus onClick={blocker.reset}>
          Stay
        </Button>
      </div>
    </Modal>
  );
}
