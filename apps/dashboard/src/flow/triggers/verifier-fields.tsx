import { NumberInput, PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import { faultOf } from '../../api/refusal';
import type { TriggerForm } from './trigger-body';
import { verifier } from '../../ui/bounds.json' with { type: 'json' };
import classes from '../../ui/form.module.css';

const SENDERS: { value: TriggerForm['type']; label: string }[] = [
  { value: 'standard', label: 'Standard Webhooks' },
  { value: 'github', label: 'GitHub' },
  { value: 'stripe', label: 'Stripe' },
  { value: 'slack', label: 'Slack' },
  { value: 'shopify', label: 'Shopify' },
  { value: 'hmac', label: 'Another signature (HMAC)' },
  { value: 'bearer', label: 'A token (Authorization: Bearer)' },
  { value: 'basic', label: 'User name and password' },
  { value: 'none', label: 'The address alone' },
];
const ALGORITHMS: TriggerForm['algorithm'][] = ['sha256', 'sha512', 'sha1'];
/** As the API calls them. */
const NAMES: Readonly<Partial<Record<keyof TriggerForm, string>>> = {
  idHeader: 'id_header',
  timestampHeader: 'timestamp_header',
};
const ENCODINGS: TriggerForm['encoding'][] = ['hex', 'base64', 'base64url'];

interface VerifierFieldsProps {
  readonly form: TriggerForm;
  readonly onChange: (fields: Partial<TriggerForm>) => void;
  readonly error: unknown;
  readonly isStored: boolean;
}

/** How a delivery proves who sent it. */
export function VerifierFields({ form, onChange, error, isStored }: VerifierFieldsProps) {
  const stays = isStored ? 'Leave it empty to keep the stored one.' : undefined;
  return (
    <>
      <Select
        label="Sender"
        description="How a delivery proves who sent it."
        data={SENDERS}
        value={form.type}
        onChange={(type) => onChange({ type: type ?? form.type })}
      />
      {form.type === 'basic' && (
        <div className={classes.two}>
          <TextInput
            label="User name"
            autoComplete="off"
            value={form.username}
            error={faultOf(error, 'username')}
            onChange={(event) => onChange({ username: event.currentTarget.value })}
          />
          <PasswordInput
            label="Password"
            description={stays}
            autoComplete="new-password"
            value={form.password}
            error={faultOf(error, 'password')}
            onChange={(event) => onChange({ password: event.currentTarget.value })}
          />
        </div>
      )}
      {form.type === 'bearer' && (
        <PasswordInput
          label="Token"
          description={stays}
          autoComplete="new-password"
          value={form.token}
          error={faultOf(error, 'token')}
          onChange={(event) => onChange({ token: event.currentTarget.value })}
        />
      )}
      {!['none', 'basic', 'bearer'].includes(form.type) && (
        <Textarea
          label="Secrets"
          description={`One a line, up to five; a delivery needs one of them. ${stays ?? ''}`}
          autosize
          minRows={1}
          spellCheck={false}
          autoComplete="off"
          value={form.secrets}
          error={faultOf(error, 'secrets')}
          onChange={(event) => onChange({ secrets: event.currentTarget.value })}
        />
      )}
      {form.type === 'hmac' && <HmacFields form={form} onChange={onChange} error={error} />}
    </>
  );
}

function HmacFields({ form, onChange, error }: Omit<VerifierFieldsProps, 'isStored'>) {
  const text = (
    field: 'header' | 'prefix' | 'template' | 'idHeader' | 'timestampHeader',
    label: string,
    description: string,
  ) => (
    <TextInput
      label={label}
      description={description}
      spellCheck={false}
      value={form[field]}
      error={faultOf(error, NAMES[field] ?? field)}
      onChange={(event) => onChange({ [field]: event.currentTarget.value })}
    />
  );
  return (
    <div className={classes.two}>
      {text('header', 'Header', 'With the signature.')}
      {text('prefix', 'Prefix', 'Before it, such as sha256=.')}
      <Select
        label="Algorithm"
        data={ALGORITHMS}
        value={form.algorithm}
        onChange={(algorithm) => onChange({ algorithm: algorithm ?? form.algorithm })}
      />
      <Select
        label="Encoding"
        data={ENCODINGS}
        value={form.encoding}
        onChange={(encoding) => onChange({ encoding: encoding ?? form.encoding })}
      />
      {text('template', 'What is signed', '{body} without it.')}
      {text('idHeader', 'Header of the id', 'By which the same delivery is known again.')}
      {text('timestampHeader', 'Header of the time', 'Unix seconds, if they are signed.')}
      <NumberInput
        label="May be off by"
        description="Seconds of that time."
        {...verifier.tolerance_seconds}
        value={form.toleranceSeconds}
        onChange={(value) => onChange({ toleranceSeconds: Number(value) || form.toleranceSeconds })}
      />
    </div>
  );
}
