import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState, type ReactNode } from 'react';
import { Confirm } from '../ui/confirm';
import { useCommand } from '../ui/use-command';
import type { Api } from './queries';
import classes from './apis.module.css';

interface CommandsProps {
  readonly name: string;
  readonly stales: readonly string[];
  readonly remove: () => Promise<unknown>;
  /** What is gone with it, in words. */
  readonly lost: string;
  readonly refreshDialog: (close: () => void) => ReactNode;
  readonly editDialog: (close: () => void) => ReactNode;
}

type Open = 'refresh' | 'edit' | 'delete';

/** What may be done with an API, or an MCP server. */
export function Commands({ name, stales, remove: send, lost, refreshDialog, editDialog }: CommandsProps) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const remove = useCommand({
    send: async () => {
      await send();
      await navigate({ to: '/apis' });
    },
    stales,
    says: () => `“${name}” is deleted.`,
  });
  return (
    <>
      <Button onClick={() => setOpen('refresh')}>Refresh …</Button>
      <Button variant="default" onClick={() => setOpen('edit')}>
        Edit …
      </Button>
      <Button variant="default" color="red" loading={remove.isPending} onClick={() => setOpen('delete')}>
        Delete …
      </Button>
      <Suspense>
        {open === 'refresh' && refreshDialog(close)}
        {open === 'edit' && editDialog(close)}
      </Suspense>
      {open === 'delete' && (
        <Confirm title={`Delete “${name}”?`} action="Delete" onConfirm={() => remove.mutate()} onClose={close}>
          {lost}
        </Confirm>
      )}
    </>
  );
}

interface StandingProps extends Pick<Api, 'state' | 'fault' | 'importedAt'> {
  readonly importing: string;
  readonly failed: string;
  /** What holds although the last import has failed. */
  readonly kept: string;
  /** What mends it. */
  readonly children?: ReactNode;
}

/** What the last import is at, or why it has failed. */
export function Standing({ state, fault, importedAt, importing, failed, kept, children }: StandingProps) {
  return (
    <>
      <p role="status" className={state === 'importing' ? undefined : 'sr-only'}>
        {state === 'importing' ? importing : ''}
      </p>
      {state === 'failed' && (
        <div role="alert" className={classes.fault}>
          <strong>{failed}</strong> {fault}
          {importedAt !== null && ` ${kept}`}
          {children}
        </div>
      )}
    </>
  );
}
