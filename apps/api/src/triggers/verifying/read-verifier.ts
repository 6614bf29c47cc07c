import { WeftError, type FieldError } from '@weft/kernel';
import { meansSecret } from '@weft/store';
import { type StoredVerifier } from '@weft/records';
import type { Verifier } from '@weft/shapes';
import { presetOf, type SignatureScheme } from './signature-scheme.js';
import { schemesOf, type VerifierSecrets } from './verify-delivery.js';
import { isKeyText } from './verify-signature.js';

export interface ReadVerifier {
  readonly open: StoredVerifier;
  readonly secrets: VerifierSecrets;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const HMAC_FIELDS = [
  ...(['header', 'algorithm', 'encoding', 'prefix', 'template'] as const),
  ...(['id_header', 'timestamp_header', 'tolerance_seconds', 'separator', 'timestamp_prefix'] as const),
] as const;

/**
 * Splits a verifier into what is shown and what is sealed.
 *
 * @param kept the secrets that are stored for the same type: those that the body leaves out stay
 * @throws WeftError `invalid_body`
 */
export function readVerifier(body: Verifier, kept: VerifierSecrets = {}): ReadVerifier {
  const fields = fieldsOf(body.type);
  const faults: FieldError[] = Object.keys(body)
    .filter((name) => name !== 'type' && body[name as keyof Verifier] !== undefined && !fields.includes(name))
    .map((name) => fault(name, `${name} is not a field of a verifier of type ${body.type}`));
  const secrets: VerifierSecrets = {
    ...(fields.includes('password') && { password: body.password ?? kept.password }),
    ...(fields.includes('token') && { token: body.token ?? kept.token }),
    ...(fields.includes('secrets') && { secrets: body.secrets ?? kept.secrets ?? mayLackSecrets(body.type) }),
  };
  const open = openFields(body);
  faults.push(...missing(open, secrets, fields), ...schemeFaults(open, secrets));
  if (faults[0]) throw new WeftError('invalid_body', `${faults[0].message}.`, { errors: faults });
  return { open, secrets };
}

/** None, where a type may have none. */
function mayLackSecrets(type: string): readonly string[] | undefined {
  return presetOf(type)?.fields.includes('secrets?') ? [] : undefined;
}

function fieldsOf(type: string): readonly string[] {
  if (type === 'basic') return ['username', 'password'];
  if (type === 'bearer') return ['token'];
  if (type === 'token') return ['header', 'token'];
  if (type === 'hmac') return [...HMAC_FIELDS, 'secrets'];
  return presetOf(type)?.fields.map((field) => field.replace('?', '')) ?? [];
}

function openFields(body: Verifier): StoredVerifier {
  const { type } = body;
  if (type === 'basic') return { type, username: body.username };
  if (type === 'token') return { type, header: lower(body.header) };
  if (type !== 'hmac') return { type };
  const timestamp_header = lower(body.timestamp_header);
  const { timestamp_prefix = null, separator = ' ' } = body;
  const isTimed = timestamp_header !== null || timestamp_prefix !== null;
  return {
    type,
    header: lower(body.header),
    algorithm: body.algorithm ?? 'sha256',
    encoding: body.encoding ?? 'hex',
    prefix: body.prefix ?? '',
    template: body.template ?? '{body}',
    id_header: lower(body.id_header),
    timestamp_header,
    tolerance_seconds: isTimed ? (body.tolerance_seconds ?? DEFAULT_TOLERANCE_SECONDS) : null,
    ...(separator !== ' ' && { separator }),
    ...(timestamp_prefix !== null && { timestamp_prefix }),
  };
}

function lower(name: string | null | undefined): string | null {
  return name?.toLowerCase() ?? null;
}

function missing(open: StoredVerifier, secrets: VerifierSecrets, fields: readonly string[]): FieldError[] {
  const given: Readonly<Record<string, unknown>> = { ...open, ...secrets };
  const needed = ['username', 'password', 'token', 'header', 'secrets'].filter(
    (name) => fields.includes(name) && !(name === 'secrets' && mayLackSecrets(open.type)),
  );
  return needed
    .filter(
      (name) => given[name] === undefined || given[name] === null || (given[name] as readonly unknown[]).length < 1,
    )
    .map((name) => ({ ...fault(name, `a verifier of type ${open.type} needs ${name}`), code: 'required' }));
}

function schemeFaults(open: StoredVerifier, { secrets = [] }: VerifierSecrets): FieldError[] {
  if (open.type === 'basic' && String(open.username).includes(':')) {
    return [fault('username', 'username may not have a colon')];
  }
  const [scheme] = schemesOf(open);
  if (!scheme) return [];
  const unreadable = secrets.flatMap((secret, i) =>
    isKeyText(scheme, secret)
      ? []
      : [fault(`secrets.${i}`, 'a secret of this type is whsec_ and Base64, or whpk_ and a public key in Base64')],
  );
  if (open.type !== 'hmac') return unreadable;
  if (open.timestamp_prefix !== undefined && open.timestamp_header !== null)
    unreadable.push(fault('timestamp_prefix', 'the time is in a header or after a prefix, one of the two'));
  return [...unreadable, ...templateFaults(scheme)];
}

function templateFaults({ template, id_header, timestamp }: SignatureScheme): FieldError[] {
  const count = (place: string) => template.split(place).length - 1;
  const faults: FieldError[] = [];
  const refuse = (message: string) => faults.push(fault('template', message));
  if (count('{body}') !== 1) refuse('template must contain {body} once');
  if (count('{form}') > 0) refuse('template cannot contain {form}: it is of the type twilio alone');
  if (id_header !== null && meansSecret(id_header)) {
    faults.push(fault('id_header', 'a header with a credential cannot be the id of a delivery'));
  }
  if (count('{id}') > 0 && id_header === null) refuse('template contains {id}: give id_header');
  if (count('{timestamp}') > 0 && timestamp === null)
    refuse('template contains {timestamp}: give timestamp_header or timestamp_prefix');
  if (count('{timestamp}') === 0 && timestamp !== null) {
    refuse('template must contain {timestamp}: a timestamp that is not signed protects against nothing');
  }
  return faults;
}

function fault(field: string, message: string): FieldError {
  return { path: `verifier.${field}`, code: 'invalid', message };
}
