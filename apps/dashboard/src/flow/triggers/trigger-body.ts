import { pairsText, readObject, readPairs } from '../../values/json-text';
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
  readonly timestampHeader: string;
  readonly toleranceSeconds: number;
  readonly when: string;
  readonly args: string;
  readonly labels: string;
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
  timestampHeader: '',
  toleranceSeconds: 300,
  when: '',
  args: '',
  labels: '',
  waitSeconds: 0,
};

export function formOf({ name, verifier, when, args, labels, wait }: Trigger): TriggerForm {
  const {
    type,
    username,
    header,
    algorithm,
    encoding,
    prefix,
    template,
    id_header,
    timestamp_header,
    tolerance_seconds,
  } = verifier;
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
    timestampHeader: timestamp_header ?? '',
    toleranceSeconds: tolerance_seconds ?? NEW_TRIGGER.toleranceSeconds,
    when: when ?? '',
    args: args === null ? '' : JSON.stringify(args, null, 2),
    labels: pairsText(labels),
    waitSeconds: wait / 1_000,
  };
}

/** Null while a field has a fault. Without args in the form, the run gets body, headers and query. */
export function bodyOf(form: TriggerForm): TriggerBody | null {
  const args = form.args.trim() === '' ? null : readObject(form.args);
  const labels = readPairs(form.labels);
  if (form.name.trim() === '' || (args !== null && 'fault' in args) || 'fault' in labels) return null;
  return {
    name: form.name.trim(),
    verifier: { type: form.type, ...verifierFields(form) },
    when: form.when.trim() === '' ? null : form.when.trim(),
    args: args === null ? null : args.value,
    labels: labels.value,
    wait: Math.round(form.waitSeconds * 1_000),
  };
}

/** Only what was changed: what the form does not show of a stored verifier stays as it is. */
export function patchOf(before: TriggerForm, now: TriggerForm): Partial<TriggerBody> | null {
  const [was, is] = [bodyOf(before), bodyOf(now)];
  if (is === null) return null;
  const changed = (Object.keys(is) as (keyof TriggerBody)[]).filter(
    (field) => JSON.stringify(is[field]) !== JSON.stringify(was?.[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, is[field]]));
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
        ...(form.timestampHeader.trim() !== '' && {
          timestamp_header: form.timestampHeader.trim(),
          tolerance_seconds: form.toleranceSeconds,
        }),
      };
    default:
      return signed;
  }
}
