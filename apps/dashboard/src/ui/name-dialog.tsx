import type { QueryKey } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from './form-dialog';
import { NameField } from './name-field';
import { useSave } from './use-command';

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
  const [text, setText] = useState(name);
  const given = text.trim();
  const saving = useSave({ send: () => save(given), stales, says: () => `Saved: “${given}”.`, onClose });
  return (
    <FormDialog
      title={title}
      action={action}
      size="sm"
      isReady={given !== ''}
      isPending={saving.isPending}
      isDirty={text !== name}
      error={saving.error}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <NameField value={text} error={saving.error} onChange={setText} />
    </FormDialog>
  );
}
