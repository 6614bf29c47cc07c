import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { FormDialog } from '../ui/form-dialog';
import { useFields } from '../ui/use-fields';
import { SERVERS_KEY, type McpServer } from './queries';

interface RefreshDialogProps {
  readonly server: McpServer;
  readonly onClose: () => void;
}

/** Reads the tools anew, or only compares them. */
export function RefreshDialog({ server, onClose }: RefreshDialogProps) {
  const queries = useQueryClient();
  const { form, set, isDirty } = useFields(() => ({ url: server.url }));
  const url = form.url.trim();
  const refresh = useMutation({
    mutationFn: (dryRun: boolean) => {
      const body = { dryRun, ...(url !== server.url && { url }) };
      return answerOf(api.POST('/api/v1/mcp-servers/{id}/refresh', { params: { path: { id: server.id } }, body }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: SERVERS_KEY });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Refresh “${server.name}”`}
      action="Refresh"
      other={server.importedAt === null ? undefined : { action: 'Compare only', onClick: () => refresh.mutate(true) }}
      isReady={url !== ''}
      isPending={refresh.isPending}
      isDirty={isDirty}
      error={refresh.error}
      onSubmit={() => refresh.mutate(false)}
      onClose={onClose}
    >
      <p>
        Flows stay with the tools as they were saved. Where the server offers another tool by the same name, a call
        fails until the flow adopts that one: the page then shows what differs.
      </p>
      <TextInput
        label="Address of the MCP server"
        required
        type="url"
        spellCheck={false}
        value={form.url}
        error={faultOf(refresh.error, 'url')}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
