import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { FormDialog } from '../ui/form-dialog';
import { useFields } from '../ui/use-fields';
import { isGiven, NO_DOCUMENT, type DocumentDraft } from './document-draft';
import { DocumentFields } from './document-fields';
import { APIS_KEY, type Api } from './queries';
import { sendDocument } from './send-document';

interface RefreshDialogProps {
  readonly api: Api;
  readonly onClose: () => void;
}

/** Imports the document anew, or another one; or only compares it. */
export function RefreshDialog({ api: before, onClose }: RefreshDialogProps) {
  const queries = useQueryClient();
  const address = 'url' in before.source ? before.source.url : undefined;
  const { form, set, isDirty } = useFields<DocumentDraft>(() => ({
    ...NO_DOCUMENT,
    from: address === undefined ? 'file' : 'same',
  }));
  const refresh = useMutation({
    mutationFn: async (dryRun: boolean) => {
      const body = { dryRun, ...(form.from !== 'same' && { source: await sendDocument(form) }) };
      return answerOf(api.POST('/api/v1/apis/{id}/refresh', { params: { path: { id: before.id } }, body }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: APIS_KEY });
      onClose();
    },
  });
  const compare = { action: 'Compare only', onClick: () => refresh.mutate(true) };
  return (
    <FormDialog
      title={`Refresh “${before.name}”`}
      action="Refresh"
      other={before.importedAt === null ? undefined : compare}
      isReady={isGiven(form)}
      isPending={refresh.isPending}
      isDirty={isDirty}
      error={refresh.error}
      onSubmit={() => refresh.mutate(false)}
      onClose={onClose}
    >
      <p>
        What runs stays as it is: flows call the operations as they were saved, until they adopt the new ones.
        {before.importedAt !== null && ' “Compare only” shows the differences, and leaves the operations as they are.'}
      </p>
      <DocumentFields document={form} before={address} error={refresh.error} onChange={set} />
    </FormDialog>
  );
}
