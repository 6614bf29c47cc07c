import { Button, type ModalProps } from '@mantine/core';
import type { ReactNode, SyntheticEvent } from 'react';
import { Dialog } from './dialog';
import { ErrorNotice } from './error-notice';
import { Help, type DocsPlace } from './help';
import classes from './form.module.css';

interface FormDialogProps {
  readonly title: string;
  /** The verb of the button that sends it. */
  readonly action: string;
  readonly children: ReactNode;
  /** What else the form can be sent for. */
  readonly other?: { readonly action: string; readonly onClick: () => void } | undefined;
  /** Null while nothing was refused. */
  readonly error: unknown;
  readonly isPending: boolean;
  readonly isReady?: boolean;
  /** Something was typed: only the buttons close it. */
  readonly isDirty: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly size?: ModalProps['size'];
  /** Where the documents tell of it. */
  readonly help?: DocsPlace | undefined;
}

/** A form over the page. What was typed is lost only by a button that says so. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    action,
    other,
    children,
    error,
    isPending,
    isReady = true,
    isDirty,
    onSubmit,
    onClose,
    size = 'lg',
    help,
  } = props;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    // a form in a dialog that a form opened: React passes the event up
    event.stopPropagation();
    if (isReady && !isPending) onSubmit();
  };
  return (
    <Dialog onClose={onClose} title={title} size={size} closeOnClickOutside={false} closeOnEscape={!isDirty}>
      <form onSubmit={submit} className={classes.form}>
        {children}
        {error !== null && <ErrorNotice error={error} />}
        <div className={classes.buttons}>
          <Button type="submit" disabled={!isReady} loading={isPending}>
            {action}
          </Button>
          {other && (
            <Button variant="default" disabled={!isReady || isPending} onClick={other.onClick}>
              {other.action}
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            {isDirty ? 'Discard' : 'Not now'}
          </Button>
          {help && <Help at={help} about={title} />}
        </div>
      </form>
    </Dialog>
  );
}
