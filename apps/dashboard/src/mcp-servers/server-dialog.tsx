import { Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { KeyField } from '../apis/key-field';
import { LinkSelect } from '../apis/link-select';
import { FormDialog } from '../ui/form-dialog';
import { useFields } from '../ui/use-fields';
import { SERVERS_KEY, type McpServer } from './queries';

interface ServerDialogProps {
  /** The one that is changed; left out: a new one. */
  readonly server?: McpServer;
  readonly onClose: () => void;
}

const ERAS = [
  { value: 'auto', label: 'What the server speaks' },
  { value: '2026', label: '2026-07-28 only' },
  { value: '2025', label: '2025-11-25 and before only' },
];

/** Adds an MCP server by its address, and leads to its page; or changes what is said of one. */
export function ServerDialog({ server, onClose }: ServerDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { form, set, isDirty } = useFields(() => ({
    ...{ url: server?.url ?? '', name: server?.name ?? '', key: server?.key ?? '' },
    ...{ integrationId: server?.integrationId ?? null, era: server?.era ?? 'auto' },
  }));
  const url = form.url.trim();
  const suggested = URL.canParse(url) ? new URL(url).hostname : '';
  const name = form.name.trim() || suggested;
  const { integrationId, era } = form;
  const send = useMutation({
    mutationFn: () => {
      const fields = { name, key: form.key.trim() || null, integrationId, era };
      if (!server) return answerOf(api.POST('/api/v1/mcp-servers', { body: { ...fields, url } }));
      return answerOf(api.PATCH('/api/v1/mcp-servers/{id}', { params: { path: { id: server.id } }, body: fields }));
    },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: SERVERS_KEY });
      if (server) onClose();
      else void navigate({ to: '/mcp-servers/$serverId', params: { serverId: id } });
    },
  });
  return (
    <FormDialog
      title={server ? `Change “${server.name}”` : 'Add an MCP server'}
      help="docs/mcp-servers.md"
      action={server ? 'Save' : 'Add'}
      isReady={url !== '' && name !== '' && (!server || isDirty)}
      isPending={send.isPending}
      isDirty={isDirty}
      error={send.error}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      {!server && (
        <TextInput
          label="Address of the MCP server"
          description="Of its Streamable HTTP endpoint: an address that is public, or that the operator allows."
          required
          type="url"
          spellCheck={false}
          data-autofocus
          placeholder="https://mcp.example.com/mcp"
          value={form.url}
          error={faultOf(send.error, 'url')}
          onChange={(event) => set({ url: event.currentTarget.value })}
        />
      )}
      <TextInput
        label="Name"
        required={suggested === ''}
        maxLength={200}
        placeholder={suggested}
        value={form.name}
        error={faultOf(send.error, 'name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <KeyField value={form.key} error={send.error} onChange={(key) => set({ key })} />
      {server && server.key !== null && form.key !== server.key && (
        <p role="note">Layers that name it “{server.key}” fail until they name the new key or the id.</p>
      )}
      <LinkSelect
        description="Its credential is shown to the server, at the origin of its endpoint. Every layer that calls a tool uses it."
        value={integrationId}
        error={send.error}
        onChange={(id) => set({ integrationId: id })}
      />
      <Select
        label="Revision of the protocol"
        data={ERAS}
        allowDeselect={false}
        value={era}
        onChange={(value) => value !== null && set({ era: value as McpServer['era'] })}
      />
    </FormDialog>
  );
}
