import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { FormDialog } from '../../ui/form-dialog';
import { useSave } from '../../ui/use-command';
import { COMPANIES_KEY, type Company } from './company';

interface EraseDialogProps {
  readonly company: Company;
  readonly onClose: () => void;
}

/** Asks for the name, because nothing brings the company back. */
export function EraseDialog({ company, onClose }: EraseDialogProps) {
  const [confirm, setConfirm] = useState('');
  const save = useSave({
    send: () =>
      answerOf(api.DELETE('/api/v1/companies/{id}', { params: { path: { id: company.id } }, body: { confirm } })),
    stales: COMPANIES_KEY,
    says: () => `“${company.name}” is being erased.`,
    onClose,
  });
  return (
    <FormDialog
      title={`Erase “${company.name}”?`}
      action="Erase it for good"
      size="sm"
      isReady={confirm === company.name}
      isPending={save.isPending}
      isDirty={confirm !== ''}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <p>
        Its users, flows, plays, files, links and audit log are deleted, and running plays are cancelled. Export it
        first if anything of it may be needed.
      </p>
      <TextInput
        label="Name of the company"
        description={`Type ${company.name} to erase it.`}
        value={confirm}
        data-autofocus
        onChange={(event) => setConfirm(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
