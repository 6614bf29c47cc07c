import { Textarea, TextInput } from '@mantine/core';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { FormDialog } from '../ui/form-dialog';
import { NameField } from '../ui/name-field';
import { useSave } from '../ui/use-command';
import { useFields } from '../ui/use-fields';
import { KeyField } from './key-field';
import { LinkSelect } from './link-select';
import { overlayFaultOf, overlayText, readOverlay } from './overlay-draft';
import { APIS_KEY, type ApiWithReport } from './queries';

const OVERLAY_EXAMPLE = `overlay: 1.0.0
actions:
  - target: $.paths['/orders'].get
    update: { x-weft-paginate: { link: true } }`;

interface EditDialogProps {
  readonly api: ApiWithReport;
  readonly onClose: () => void;
}

/** What is said of an API besides its document. */
export function EditDialog({ api: before, onClose }: EditDialogProps) {
  const { filledIn, form, set, isDirty } = useFields(() => ({
    name: before.name,
    key: before.key ?? '',
    integrationId: before.integrationId,
    baseUrl: before.baseUrl ?? '',
    overlay: overlayText(before.overlay),
  }));
  const name = form.name.trim();
  const save = useSave({
    send: async () => {
      const body = {
        ...(form.name !== filledIn.name && { name }),
        ...(form.key !== filledIn.key && { key: form.key.trim() || null }),
        ...(form.integrationId !== filledIn.integrationId && { integrationId: form.integrationId }),
        ...(form.baseUrl !== filledIn.baseUrl && { baseUrl: form.baseUrl.trim() || null }),
        ...(form.overlay !== filledIn.overlay && { overlay: await readOverlay(form.overlay) }),
      };
      return answerOf(api.PATCH('/api/v1/apis/{id}', { params: { path: { id: before.id } }, body }));
    },
    stales: APIS_KEY,
    says: () =>
      form.overlay === filledIn.overlay
        ? `Saved: “${name}”.`
        : `Saved: “${name}”. Refresh it to import its document with the overlay as it is now.`,
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
      <Textarea
        label="Overlay"
        description="An OpenAPI Overlay 1.0 as JSON or YAML: it mends what is wrong in the document, at each import from the next one on."
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: 1.5 } }}
        placeholder={OVERLAY_EXAMPLE}
        value={form.overlay}
        error={overlayFaultOf(save.error)}
        onChange={(event) => set({ overlay: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
