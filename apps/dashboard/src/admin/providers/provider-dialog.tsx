import type { components } from '@weft/client';
import { Checkbox, PasswordInput, Select, TextInput } from '@mantine/core';
import { ROLES } from '@weft/access';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { ROLE_NAMES, useMe } from '../../session/me';
import { FormDialog } from '../../ui/form-dialog';
import { useSave } from '../../ui/use-command';

export type Provider = components['schemas']['OAuthProvider'];

export const PROVIDERS_KEY = ['oauth-providers'];

interface ProviderDialogProps {
  /** The one to change; none: a new one. */
  readonly provider?: Provider;
  readonly onClose: () => void;
}

const TEXTS = [
  ['name', 'Name', 'What the button at the sign-in says.', true],
  ['issuer', 'Issuer', 'https://accounts.example.org', true],
  ['client_id', 'Client id', '', true],
  ['redirect_uri', 'Redirect URI', 'Only where it is not the one of this address.', false],
] as const;

export function ProviderDialog({ provider, onClose }: ProviderDialogProps) {
  const me = useMe();
  const [filledIn] = useState({
    name: provider?.name ?? '',
    issuer: provider?.issuer ?? '',
    client_id: provider?.client_id ?? '',
    redirect_uri: provider?.redirect_uri ?? '',
  });
  const [texts, setTexts] = useState(filledIn);
  const [secret, setSecret] = useState('');
  const [isOpen, setOpen] = useState(provider?.auto_create_users ?? false);
  const [role, setRole] = useState(provider?.auto_assign_role ?? 'none');
  const [company, setCompany] = useState(provider?.auto_assign_company ?? null);
  const save = useSave({
    send: (): Promise<unknown> => {
      const body = {
        ...texts,
        redirect_uri: texts.redirect_uri === '' ? null : texts.redirect_uri,
        ...(secret !== '' && { client_secret: secret }),
        ...{ auto_create_users: isOpen, auto_assign_role: role, auto_assign_company: company },
      };
      if (!provider) return answerOf(api.POST('/api/v1/admin/oauth-providers', { body }));
      const path = { params: { path: { id: provider.id } } };
      return answerOf(api.PATCH('/api/v1/admin/oauth-providers/{id}', { ...path, body }));
    },
    stales: PROVIDERS_KEY,
    says: () => `Saved: “${texts.name}”.`,
    onClose,
  });
  return (
    <FormDialog
      title={provider ? `Change “${provider.name}”` : 'New identity provider'}
      help="docs/identity-providers.md"
      action={provider ? 'Save' : 'Make the provider'}
      size="md"
      isReady={TEXTS.every(([field, , , required]) => !required || texts[field].trim() !== '')}
      isPending={save.isPending}
      isDirty={secret !== '' || TEXTS.some(([field]) => texts[field] !== filledIn[field])}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {TEXTS.map(([field, label, placeholder, required]) => (
        <TextInput
          key={field}
          label={label}
          placeholder={placeholder}
          required={required}
          value={texts[field]}
          error={faultOf(save.error, field)}
          onChange={(event) => setTexts({ ...texts, [field]: event.currentTarget.value })}
        />
      ))}
      <PasswordInput
        label="Client secret"
        description={provider?.has_client_secret ? 'Empty: the stored one stays.' : 'Where the provider gave one.'}
        autoComplete="off"
        value={secret}
        error={faultOf(save.error, 'client_secret')}
        onChange={(event) => setSecret(event.currentTarget.value)}
      />
      <Checkbox
        label="Whoever it knows and Weft does not becomes a user"
        checked={isOpen}
        onChange={(event) => setOpen(event.currentTarget.checked)}
      />
      <Select
        label="In the company"
        clearable
        data={me.companies.map(({ company_id, name }) => ({ value: company_id, label: name }))}
        value={company}
        error={faultOf(save.error, 'auto_assign_company')}
        onChange={setCompany}
      />
      <Select
        label="With the role"
        data={ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
        value={role}
        onChange={(value) => setRole(ROLES.find((each) => each === value) ?? role)}
      />
    </FormDialog>
  );
}
