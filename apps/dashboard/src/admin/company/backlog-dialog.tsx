import { Button, Modal, NumberInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { ErrorNotice } from '../../ui/error-notice';
import { COMPANIES_KEY, type Company } from './company';
import classes from '../admin.module.css';

interface BacklogDialogProps {
  readonly company: Company;
  readonly onClose: () => void;
}

/** How many plays of a company may wait before further ones are refused. */
export function BacklogDialog({ company, onClose }: BacklogDialogProps) {
  const queries = useQueryClient();
  const [most, setMost] = useState<number | string>(company.backlog_max ?? '');
  const save = useMutation({
    mutationFn: () => {
      const body = { backlog_max: most === '' ? null : Number(most) };
      return answerOf(api.PATCH('/api/v1/companies/{id}', { params: { path: { id: company.id } }, body }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: COMPANIES_KEY });
      onClose();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={`Backlog of “${company.name}”`} size="sm">
      <form onSubmit={submit} className={classes.form}>
        <NumberInput
          label="Plays that may wait"
          description="Further ones are refused with 429. Empty: as the installation says."
          min={1}
          allowDecimal={false}
          value={most}
          error={faultOf(save.error, 'backlog_max')}
          onChange={setMost}
        />
        {save.isError && <ErrorNotice error={save.error} />}
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </form>
    </Modal>
  );
}
