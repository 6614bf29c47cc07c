import type { components } from '@weft/client';
import { PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { FormDialog } from '../../ui/form-dialog';
import { useSave } from '../../ui/use-command';

export type Integration = components['schemas']['Integration'];

interface IntegrationDialogProps {
  /** The one to change; none: a new one. */
  readonly link?: Integration;
  readonly onClose: () => void;
}

export function IntegrationDialog({ link, onClose }: IntegrationDialogProps) {
  const [type, setType] = useState('');
  const [name, setName] = useState(link?.Name ?? '');
  const [endpoint, setEndpoint] = useState(link?.Endpoint ?? '');
  const [token, setToken] = useState('');
  const address = endpoint.trim();
  /** A stored token is never sent to another place: the API takes a new address only with the token for it. */
  const isElsewhere = address !== (link?.Endpoint ?? '');
  const needsToken = !link || isElsewhere;
  const save = useSave({
    send: (): Promise<unknown> => {
      const common = { name: name.trim(), ...(isElsewhere && { endpoint: address === '' ? null : address }) };
      if (!link) {
        const body = { ...common, type: type.trim(), access_token: token };
        return answerOf(api.POST('/api/v1/integrations', { body }));
      }
      const body = { ...common, ...(token !== '' && { access_token: token }) };
      return answerOf(api.PATCH('/api/v1/integrations/{id}', { params: { path: { id: link.id } }, body }));
    },
    stales: ['integrations'],
    says: () => `Saved: “${name.trim()}”.`,
    onClose,
  });
  const isTyped = link !== undefined || type.trim() !== '';
  return (
    <FormDialog
      title={link ? `Change “${link.Name}”` : 'New integration'}
      action={link ? 'Save' : 'Make the integration'}
      size="md"
      isReady={name.trim() !== '' && isTyped && (!needsToken || token !== '')}
      isPending={save.isPending}
      isDirty={type !== '' || token !== '' || name !== (link?.Name ?? '') || endpoint !== (link?.Endpoint ?? '')}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {!link && (
        <TextInput
          label="Type"
          description="What it is a link to, for example smtp or slack."
          required
          data-autofocus
          value={type}
          error={faultOf(save.error, 'type')}
          onChange={(event) => setType(event.currentTarget.value)}
        />
      )}
      <TextInput
        label="Name"
        required
        value={name}
        error={faultOf(save.error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Endpoint"
        description="Only where it is not the one of the service itself."
        placeholder="https://api.example.org"
        value={endpoint}
        error={faultOf(save.error, 'endpoint')}
        onChange={(event) => setEndpoint(event.currentTarget.value)}
      />
      <PasswordInput
        label={link ? 'New token' : 'Token'}
        description={
          link
            ? isElsewhere
              ? 'A new endpoint comes with its token: the stored one is not sent there.'
              : 'Empty: the stored one stays.'
            : 'Of a mail server user:password; of a chat the address of its incoming webhook. It is not shown again.'
        }
        required={needsToken}
        autoComplete="off"
        value={token}
        error={faultOf(save.error, 'access_token')}
        onChange={(event) => setToken(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
