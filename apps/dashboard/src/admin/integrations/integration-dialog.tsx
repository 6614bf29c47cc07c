import type { components } from '@weft/client';
import { PasswordInput, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { FormDialog } from '../../ui/form-dialog';
import { useSave } from '../../ui/use-command';
import { hasSecret, KIND_CHOICES, KINDS, toKindBody, valuesOf, type KindValues, type LinkKind } from './kinds';

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
  const [kind, setKind] = useState<LinkKind>(link?.Kind ?? 'bearer');
  const [values, setValues] = useState<KindValues>(link ? valuesOf(link.Settings, link.Scopes) : {});
  const address = endpoint.trim();
  /** A stored token is never sent to another place: the API takes a new address only with the token for it. */
  const isElsewhere = address !== (link?.Endpoint ?? '');
  const needsSecret = !link || isElsewhere;
  const { fields } = KINDS[kind];
  const isComplete = fields.every(({ name: field, isOptional }) => isOptional === true || (values[field] ?? '') !== '');
  const save = useSave({
    send: (): Promise<unknown> => {
      const common = { name: name.trim(), ...(isElsewhere && { endpoint: address === '' ? null : address }) };
      if (!link) {
        const body = { ...common, type: type.trim(), ...toKindBody(kind, values) };
        return answerOf(api.POST('/api/v1/integrations', { body }));
      }
      const body = { ...common, ...(hasSecret(values) && toKindBody(kind, values, link.Settings)) };
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
      isReady={name.trim() !== '' && isTyped && (!needsSecret || isComplete)}
      isPending={save.isPending}
      isDirty={type !== '' || hasSecret(values) || name !== (link?.Name ?? '') || endpoint !== (link?.Endpoint ?? '')}
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
      {!link && (
        <Select
          label="How requests show the credentials"
          data={KIND_CHOICES}
          allowDeselect={false}
          value={kind}
          onChange={(next) => setKind(next ?? 'bearer')}
        />
      )}
      {fields.map(({ name: field, label, description, isSecret, isOptional }) => {
        const Input = isSecret ? PasswordInput : TextInput;
        const stays = isElsewhere
          ? 'A new endpoint comes with its token: the stored one is not sent there.'
          : 'Empty: the stored one stays.';
        return (
          <Input
            key={field}
            label={link && isSecret ? `New ${label.toLowerCase()}` : label}
            description={link && isSecret ? stays : description}
            required={needsSecret && !isOptional}
            autoComplete="off"
            value={values[field] ?? ''}
            error={faultOf(save.error, field) ?? faultOf(save.error, `settings.${field}`)}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setValues((before) => ({ ...before, [field]: value }));
            }}
          />
        );
      })}
    </FormDialog>
  );
}
