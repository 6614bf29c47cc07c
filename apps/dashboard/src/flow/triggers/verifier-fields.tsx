import { NumberInput, PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import { faultOf } from '../../api/refusal';
import { senderOf, SENDERS } from './senders';
import type { TriggerForm } from './trigger-body';
import { verifier } from '../../ui/bounds.json' with { type: 'json' };
import classes from '../../ui/form.module.css';

const ALGORITHMS: TriggerForm['algorithm'][] = ['sha256', 'sha512', 'sha1'];
/** As the API calls them. */
const NAMES: Readonly<Partial<Record<keyof TriggerForm, string>>> = {
  idHeader: 'id_header',
  timestampHeader: 'timestamp_header',
  timestampPrefix: 'timestamp_prefix',
};
const SEPARATORS: { value: TriggerForm['separator']; label: string }[] = [
  { value: ' ', label: 'a blank' },
  { value: ',', label: 'a comma' },
  { value: ';', label: 'a semicolon' },
];
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
  const sender = senderOf(form.type);
  return (
    <>
      <Select
        label="Sender"
        description={sender.says}
        searchable
        data={SENDERS.map(({ value, label }) => ({ value, label }))}
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
      {form.type === 'token' && (
        <TextInput
          label="Header"
          description="With the token."
          spellCheck={false}
          value={form.header}
          error={faultOf(error, 'header')}
          onChange={(event) => onChange({ header: event.currentTarget.value })}
        />
      )}
      {sender.token !== undefined && (
        <PasswordInput
          label={sender.token}
          description={stays}
          autoComplete="new-password"
          value={form.token}
          error={faultOf(error, 'token')}
          onChange={(event) => onChange({ token: event.currentTarget.value })}
        />
      )}
      {sender.secrets !== undefined && (
        <Textarea
          label={sender.secrets}
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
    field: 'header' | 'prefix' | 'template' | 'idHeader' | 'timestampHeader' | 'timestampPrefix',
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
      {text('timestampPrefix', 'Or before the time', 'In the header of the signature, such as t=.')}
      <Select
        label="Between its parts"
        description="Where the header has several."
        data={SEPARATORS}
        value={form.separator}
        onChange={(separator) => onChange({ separator: separator ?? form.separator })}
      />
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
