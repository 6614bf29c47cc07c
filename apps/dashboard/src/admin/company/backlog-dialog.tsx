import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { FormDialog } from '../../ui/form-dialog';
import { useSave } from '../../ui/use-command';
import { COMPANIES_KEY, type Company } from './company';

interface BacklogDialogProps {
  readonly company: Company;
  readonly onClose: () => void;
}

/** How many plays of a company may wait before further ones are refused. */
export function BacklogDialog({ company, onClose }: BacklogDialogProps) {
  const [most, setMost] = useState<number | string>(company.backlog_max ?? '');
  const save = useSave({
    send: () => {
      const body = { backlog_max: most === '' ? null : Number(most) };
      return answerOf(api.PATCH('/api/v1/companies/{id}', { params: { path: { id: company.id } }, body }));
    },
    stales: COMPANIES_KEY,
    says: () => `Saved: the backlog of “${company.name}”.`,
    onClose,
  });
  return (
    <FormDialog
      title={`Backlog of “${company.name}”`}
      action="Save"
      size="sm"
      isPending={save.isPending}
      isDirty={most !== (company.backlog_max ?? '')}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <NumberInput
        label="Plays that may wait"
        description="Further ones are refused with 429. Empty: as the installation says."
        min={1}
        allowDecimal={false}
        value={most}
        error={faultOf(save.error, 'backlog_max')}
        onChange={setMost}
      />
    </FormDialog>
  );
}
