import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { faultOf } from '../api/refusal';
import { ErrorNotice } from './error-notice';
import classes from './name-dialog.module.css';

interface NameDialogProps {
  readonly title: string;
  readonly action: string;
  readonly name?: string;
  /** What is read again afterwards. */
  readonly stales: QueryKey;
  readonly save: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** For things that have a name and nothing else to say at first. */
export function NameDialog({ title, action, name = '', stales, save, onClose }: NameDialogProps) {
  const queries = useQueryClient();
  const [text, setText] = useState(name);
  const saving = useMutation({
    mutationFn: () => save(text.trim()),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: stales });
      onClose();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={title} size="sm">
      <form onSubmit={submit} className={classes.form}>
        <TextInput
          label="Name"
          required
          maxLength={200}
          data-autofocus
          value={text}
          error={faultOf(saving.error, 'name')}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {saving.isError && <ErrorNotice error={saving.error} />}
        <Button type="submit" loading={saving.isPending}>
          {action}
        </Button>
      </form>
    </Modal>
  );
}
