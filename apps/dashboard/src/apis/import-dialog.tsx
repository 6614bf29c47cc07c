import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { FormDialog } from '../ui/form-dialog';
import { useFields } from '../ui/use-fields';
import { isGiven, nameFor, NO_DOCUMENT } from './document-draft';
import { DocumentFields } from './document-fields';
import { KeyField } from './key-field';
import { LinkSelect } from './link-select';
import { APIS_KEY } from './queries';
import { sendDocument } from './send-document';

const EMPTY = { ...NO_DOCUMENT, name: '', key: '', integrationId: null as string | null };

/** Gives the document of a service, and leads to its API. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { form, set, isDirty } = useFields(() => EMPTY);
  const suggested = nameFor(form);
  const name = form.name.trim() || suggested;
  const key = form.key.trim();
  const give = useMutation({
    mutationFn: async () => {
      const { integrationId } = form;
      const fields = { name, ...(key !== '' && { key }), ...(integrationId !== null && { integrationId }) };
      return answerOf(api.POST('/api/v1/apis', { body: { ...fields, source: await sendDocument(form) } }));
    },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: APIS_KEY });
      void navigate({ to: '/apis/$apiId', params: { apiId: id } });
    },
  });
  return (
    <FormDialog
      title="Import an API"
      help="docs/apis.md"
      action="Import"
      isReady={isGiven(form) && name !== ''}
      isPending={give.isPending}
      isDirty={isDirty}
      error={give.error}
      onSubmit={() => give.mutate()}
      onClose={onClose}
    >
      <DocumentFields document={form} error={give.error} onChange={set} />
      <TextInput
        label="Name"
        required={suggested === ''}
        maxLength={200}
        placeholder={suggested}
        value={form.name}
        error={faultOf(give.error, 'name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <KeyField value={form.key} error={give.error} onChange={(next) => set({ key: next })} />
      <LinkSelect value={form.integrationId} error={give.error} onChange={(integrationId) => set({ integrationId })} />
    </FormDialog>
  );
}
