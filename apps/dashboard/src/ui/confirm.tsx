import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog';
import classes from './confirm.module.css';

interface ConfirmProps {
  /** A question. */
  readonly title: string;
  /** The verb of the button that does it. */
  readonly action: string;
  /** What is lost. */
  readonly children: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is done that cannot be undone. */
export function Confirm({ title, action, children, onConfirm, onClose }: ConfirmProps) {
  const confirm = (): void => {
    onClose();
    onConfirm();
  };
  return (
    <Dialog onClose={onClose} title={title} size="sm">
      <p>{children}</p>
      <div className={classes.buttons}>
        <Button color="red.9" onClick={confirm}>
          {action}
        </Button>
        <Button variant="default" data-autofocus onClick={onClose}>
          Not now
        </Button>
      </div>
    </Dialog>
  );
}
