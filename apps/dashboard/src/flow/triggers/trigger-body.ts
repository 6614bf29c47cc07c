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
  readonly separator: ' ' | ',' | ';';
  readonly timestampPrefix: string;
  readonly when: string;
  readonly args: string;
  readonly labels: string;
  readonly waitSeconds: number;
  readonly methods: readonly Method[];
  readonly maxMb: number;
  /** JSON; empty: the usual answer, the check that the sender's type has. */
  readonly respond: string;
  readonly challenge: string;
  readonly does: 'run' | 'event';
  readonly eventName: string;
  readonly eventKey: string;
  readonly keepHours: number;
}

type Method = NonNullable<TriggerBody['methods']>[number];
const MB = 1024 * 1024;
const HOUR_MS = 3_600_000;

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
  separator: ' ',
  timestampPrefix: '',
  when: '',
  args: '',
  labels: '',
  waitSeconds: 0,
  methods: ['POST'],
  maxMb: 1,
  respond: '',
  challenge: '',
  does: 'run',
  eventName: '',
  eventKey: '',
  keepHours: 24,
};

export function formOf(trigger: Trigger): TriggerForm {
  const { name, verifier, when, args, labels, wait, methods, max_bytes, respond, challenge, action } = trigger;
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
    separator,
    timestamp_prefix,
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
    separator: (separator ?? NEW_TRIGGER.separator) as TriggerForm['separator'],
    timestampPrefix: timestamp_prefix ?? '',
    when: when ?? '',
    args: args === null ? '' : JSON.stringify(args, null, 2),
    labels: pairsText(labels),
    waitSeconds: wait / 1_000,
    methods: methods as readonly Method[],
    maxMb: max_bytes / MB,
    respond: respond === null ? '' : JSON.stringify(respond, null, 2),
    challenge: challenge === null ? '' : JSON.stringify(challenge, null, 2),
    does: action === null ? 'run' : 'event',
    eventName: action?.name ?? '',
    eventKey: action?.key ?? '',
    keepHours: (action?.ttlMs ?? 24 * HOUR_MS) / HOUR_MS,
  };
}

/** Null while a field has a fault. Without args in the form, the run gets body, headers and query. */
export function bodyOf(form: TriggerForm): TriggerBody | null {
  const args = form.args.trim() === '' ? null : readObject(form.args);
  const labels = readPairs(form.labels);
  const respond = objectIn(form.respond);
  const challenge = objectIn(form.challenge);
  if (form.name.trim() === '' || (args !== null && 'fault' in args) || 'fault' in labels) return null;
  if (respond === undefined || challenge === undefined || form.methods.length === 0) return null;
  if (form.does === 'event' && form.eventName.trim() === '') return null;
  return {
    name: form.name.trim(),
    verifier: { type: form.type, ...verifierFields(form) },
    when: form.when.trim() === '' ? null : form.when.trim(),
    args: args === null ? null : args.value,
    labels: labels.value,
    wait: form.does === 'run' ? Math.round(form.waitSeconds * 1_000) : 0,
    methods: [...form.methods],
    max_bytes: Math.round(form.maxMb * MB),
    respond: respond as TriggerBody['respond'],
    challenge: challenge as TriggerBody['challenge'],
    action: actionOf(form),
  };
}

function actionOf({ does, eventName, eventKey, keepHours }: TriggerForm): NonNullable<TriggerBody['action']> | null {
  if (does === 'run') return null;
  const key = eventKey.trim() === '' ? null : eventKey.trim();
  return { type: 'event', name: eventName.trim(), key, ttlMs: Math.round(keepHours * HOUR_MS) };
}

/** Null: nothing is typed. Undefined: it is no object. */
function objectIn(text: string): object | null | undefined {
  if (text.trim() === '') return null;
  const read = readObject(text);
  return 'fault' in read ? undefined : read.value;
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

function verifierFields(form: TriggerForm): Omit<NonNullable<TriggerBody['verifier']>, 'type'> {
  const secrets = form.secrets.split('\n').filter((line) => line.trim() !== '');
  const signed = secrets.length > 0 ? { secrets: secrets.map((line) => line.trim()) } : {};
  switch (form.type) {
    case 'none':
      return {};
    case 'basic':
      return { username: form.username, ...(form.password !== '' && { password: form.password }) };
    case 'bearer':
    case 'gitlab':
    case 'msgraph':
      return form.token === '' ? {} : { token: form.token };
    case 'token':
      return { header: form.header.trim(), ...(form.token !== '' && { token: form.token }) };
    case 'meta':
      return { ...signed, ...(form.token !== '' && { token: form.token }) };
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
        }),
        ...(form.timestampPrefix !== '' && { timestamp_prefix: form.timestampPrefix }),
        ...(form.separator !== ' ' && { separator: form.separator }),
        ...((form.timestampHeader.trim() !== '' || form.timestampPrefix !== '') && {
          tolerance_seconds: form.toleranceSeconds,
        }),
      };
    default:
      return signed;
  }
}
