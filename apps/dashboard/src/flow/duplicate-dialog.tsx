import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { faultOf } from '../api/refusal';
import { unsavedOfPage } from '../session/unsaved';
import { FormDialog } from '../ui/form-dialog';
import { duplicate } from './documents';
import type { Flow } from './queries';

interface DuplicateDialogProps {
  readonly flow: Flow;
  readonly onClose: () => void;
}

export function DuplicateDialog({ flow, onClose }: DuplicateDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [filledIn] = useState(() => `Copy of ${flow.name}`.slice(0, 200));
  const [name, setName] = useState(filledIn);
  const [unsaved] = useState(unsavedOfPage);
  const copy = useMutation({
    mutationFn: () => duplicate(flow, name),
    onSuccess: ({ id }) => {
      onClose();
      void queries.invalidateQueries({ queryKey: ['flows'] });
      void navigate({ to: '/flows/$flowId', params: { flowId: id } });
    },
  });
  return (
    <FormDialog
      title={`Duplicate “${flow.name}”`}
      action="Duplicate"
      size="md"
      isReady={name !== ''}
      isPending={copy.isPending}
      isDirty={name !== filledIn}
      error={copy.error}
      onSubmit={() => copy.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Name of the copy"
        required
        maxLength={200}
        data-autofocus
        value={name}
        error={faultOf(copy.error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {unsaved !== null && <p>Not saved, and not in the copy: {unsaved.words}.</p>}
      <p className="soft">
        Layers, settings and test cases are copied, schedules and grants are not. The copy is paused. Ids of the company
        and secrets read “[left out]” in it: fill them in before you enable it.
      </p>
    </FormDialog>
  );
}
