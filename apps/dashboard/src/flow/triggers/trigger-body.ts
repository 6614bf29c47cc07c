import { readObject } from '../../values/json-text';
import type { Trigger, TriggerBody, VerifierType } from './queries';

/** A trigger as fields of a form; empty ones are left to the server. */
export interface TriggerForm {
  readonly name: string;
  readonly type: VerifierType;
  /** One a line; empty ones of a stored trigger stay. */
  readonly secrets: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
  readonly header: string;
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64' | 'base64url';
  readonly prefix: string;
  readonly template: string;
  readonly idHeader: string;
  readonly when: string;
  readonly args: string;
  readonly waitSeconds: number;
}

export const NEW_TRIGGER: TriggerForm = {
  name: '',
  type: 'standard',
  secrets: '',
  username: '',
  password: '',
  token: '',
  header: '',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: '',
  template: '',
  idHeader: '',
  when: '',
  args: '',
  waitSeconds: 0,
};

export function formOf({ name, verifier, when, args, wait }: Trigger): TriggerForm {
  const { type, username, header, algorithm, encoding, prefix, template, id_header } = verifier;
  return {
    ...NEW_TRIGGER,
    name,
    type: type as VerifierType,
    username: username ?? '',
    header: header ?? '',
    algorithm: (algorithm ?? 'sha256') as TriggerForm['algorithm'],
    encoding: (encoding ?? 'hex') as TriggerForm['encoding'],
    prefix: prefix ?? '',
    template: template ?? '',
    idHeader: id_header ?? '',
    when: when ?? '',
    args: args === null ? '' : JSON.stringify(args, null, 2),
    waitSeconds: wait / 1_000,
  };
}

/** Null while a field has a fault. Without args in the form, the run gets body, headers and query. */
export function bodyOf(form: TriggerForm): TriggerBody | null {
  const args = form.args.trim() === '' ? null : readObject(form.args);
  if (form.name.trim() === '' || (args !== null && 'fault' in args)) return null;
  return {
    name: form.name.trim(),
    verifier: { type: form.type, ...verifierFields(form) },
    when: form.when.trim() === '' ? null : form.when.trim(),
    args: args === null ? null : args.value,
    wait: Math.round(form.waitSeconds * 1_000),
  };
}

function verifierFields(form: TriggerForm): Omit<TriggerBody['verifier'], 'type'> {
  const secrets = form.secrets.split('\n').filter((line) => line.trim() !== '');
  const signed = secrets.length > 0 ? { secrets: secrets.map((line) => line.trim()) } : {};
  switch (form.type) {
    case 'none':
      return {};
    case 'basic':
      return { username: form.username, ...(form.password !== '' && { password: form.password }) };
    case 'bearer':
      return form.token === '' ? {} : { token: form.token };
    case 'hmac':
      return {
        ...signed,
        header: form.header.trim(),
        algorithm: form.algorithm,
        encoding: form.encoding,
        ...(form.prefix !== '' && { prefix: form.prefix }),
        ...(form.template !== '' && { template: form.template }),
        ...(form.idHeader.trim() !== '' && { id_header: form.idHeader.trim() }),
      };
    default:
      return signed;
  }
}
