import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from '../ui/copy-text';
import { Dialog } from '../ui/dialog';
import classes from './admin.module.css';

interface OnceProps {
  readonly title: string;
  /** What to do with it. */
  readonly says: ReactNode;
  readonly text: string;
  readonly onClose: () => void;
}

/** Something that is shown a single time: it goes only by its button. */
export function Once({ title, says, text, onClose }: OnceProps) {
  return (
    <Dialog onClose={onClose} title={title} closeOnClickOutside={false} closeOnEscape={false}>
      <div className={classes.form}>
        <p>{says}</p>
        <div className={classes.token}>
          <CopyText text={text} />
        </div>
        <Button data-autofocus onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
