import { TextInput } from '@mantine/core';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { FormDialog } from '../ui/form-dialog';
import { NameField } from '../ui/name-field';
import { useSave } from '../ui/use-command';
import { useFields } from '../ui/use-fields';
import { KeyField } from './key-field';
import { LinkSelect } from './link-select';
import { APIS_KEY, type Api } from './queries';

interface EditDialogProps {
  readonly api: Api;
  readonly onClose: () => void;
}

/** What is said of an API besides its document. */
export function EditDialog({ api: before, onClose }: EditDialogProps) {
  const { filledIn, form, set, isDirty } = useFields(() => ({
    name: before.name,
    key: before.key ?? '',
    integrationId: before.integrationId,
    baseUrl: before.baseUrl ?? '',
  }));
  const name = form.name.trim();
  const save = useSave({
    send: () => {
      const body = {
        ...(form.name !== filledIn.name && { name }),
        ...(form.key !== filledIn.key && { key: form.key.trim() || null }),
        ...(form.integrationId !== filledIn.integrationId && { integrationId: form.integrationId }),
        ...(form.baseUrl !== filledIn.baseUrl && { baseUrl: form.baseUrl.trim() || null }),
      };
      return answerOf(api.PATCH('/api/v1/apis/{id}', { params: { path: { id: before.id } }, body }));
    },
    stales: APIS_KEY,
    says: () => `Saved: “${name}”.`,
    onClose,
  });
  return (
    <FormDialog
      title={`Change “${before.name}”`}
      action="Save"
      isReady={name !== '' && isDirty}
      isPending={save.isPending}
      isDirty={isDirty}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <NameField value={form.name} error={save.error} onChange={(next) => set({ name: next })} />
      <KeyField value={form.key} error={save.error} onChange={(key) => set({ key })} />
      {before.key !== null && form.key !== filledIn.key && (
        <p role="note">Layers that name it “{before.key}” fail until they name the new key or the id.</p>
      )}
      <LinkSelect value={form.integrationId} error={save.error} onChange={(integrationId) => set({ integrationId })} />
      <TextInput
        label="Base address"
        description="Of an installation of your own: it takes the place of the servers of the document."
        type="url"
        spellCheck={false}
        placeholder="https://github.example.com/api/v3"
        value={form.baseUrl}
        error={faultOf(save.error, 'baseUrl')}
        onChange={(event) => set({ baseUrl: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
