/** What a form asks for to make a link of each kind, in this order: docs/integrations.md, kinds of links. */
import type { components } from '@weft/client';
import { awsSecrets, link as bounds } from '../../ui/bounds.json' with { type: 'json' };

export type LinkKind = components['schemas']['Integration']['Kind'];
type Settings = NonNullable<components['schemas']['UpdateIntegrationBody']['settings']>;
type OneSecret = 'access_token' | 'username' | 'password' | 'client_secret';
/** Those of a link that has several. */
type NamedSecret = keyof typeof awsSecrets;
export type SecretName = OneSecret | NamedSecret;
type SettingName =
  | ('header' | 'prefix' | 'parameter' | 'template' | 'authorize_url' | 'token_url' | 'client_id')
  | ('region' | 'service' | 'role_arn')
  | ('sign_payload' | 'path_style')
  | ('tls' | 'ca' | 'read_only' | 'schema' | 'pool');

export interface KindField {
  readonly name: SecretName | SettingName | 'scopes';
  readonly label: string;
  readonly description?: string;
  readonly isSecret?: boolean;
  readonly isOptional?: boolean;
  /** What can be chosen; default: any text. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** Only asked for when the endpoint is a database. */
  readonly isOfDatabase?: true;
}

const CLIENT: readonly KindField[] = [
  { name: 'token_url', label: 'Address for tokens' },
  { name: 'client_id', label: 'Client id' },
  { name: 'client_secret', label: 'Client secret', isSecret: true },
  { name: 'scopes', label: 'Scopes', description: 'With blanks between them.', isOptional: true },
];

export const KINDS: Readonly<Record<LinkKind, { readonly label: string; readonly fields: readonly KindField[] }>> = {
  bearer: {
    label: 'Token',
    fields: [
      {
        ...{ name: 'access_token', label: 'Token', isSecret: true },
        description:
          'Of a mail server user:password; of a chat the address of its incoming webhook. It is not shown again.',
      },
    ],
  },
  header: {
    label: 'Key in a header',
    fields: [
      { name: 'header', label: 'Header' },
      { name: 'prefix', label: 'Text before the key', isOptional: true },
      { name: 'access_token', label: 'Secret key', isSecret: true },
    ],
  },
  basic: {
    label: 'User name and password',
    fields: [
      { name: 'username', label: 'User name' },
      { name: 'password', label: 'Password', isSecret: true, isOptional: true },
      {
        ...{ name: 'tls', label: 'Encryption', isOptional: true, isOfDatabase: true },
        description: 'Without encryption only addresses are reached that the operator opened.',
        choices: [
          { value: 'verify', label: 'Check the certificate and its name' },
          { value: 'require', label: 'Encrypt, and check nothing' },
          { value: 'off', label: 'None' },
        ],
      },
      {
        ...{ name: 'ca', label: 'Authority of the certificate', isOptional: true, isOfDatabase: true },
        description: 'In PEM, where it is not a public one.',
      },
      {
        ...{ name: 'read_only', label: 'Layers may', isOptional: true, isOfDatabase: true },
        choices: [
          { value: 'false', label: 'Read and write' },
          { value: 'true', label: 'Only read' },
        ],
      },
      {
        ...{ name: 'schema', label: 'Schema', isOptional: true, isOfDatabase: true },
        description: 'Where names are looked up; of MySQL another database.',
      },
      {
        ...{ name: 'pool', label: 'Connections at once', isOptional: true, isOfDatabase: true },
        description: `Of each worker, ${bounds.pool.min} to ${bounds.pool.max}; default 3.`,
      },
    ],
  },
  query: {
    label: 'Key in the address',
    fields: [
      { name: 'parameter', label: 'Name in the address' },
      { name: 'access_token', label: 'Secret key', isSecret: true },
    ],
  },
  hmac: {
    label: 'Signed requests',
    fields: [
      { name: 'header', label: 'Header with the signature' },
      { name: 'template', label: 'What is signed', description: 'Default: {body}.', isOptional: true },
      { name: 'access_token', label: 'Secret key', isSecret: true },
    ],
  },
  // its headers are rows of their own
  headers: { label: 'Keys in several headers', fields: [] },
  aws_sigv4: {
    label: 'AWS signature (S3, SQS and others)',
    fields: [
      { name: 'region', label: 'Region', description: 'Such as eu-central-1; auto at some storages.' },
      { name: 'service', label: 'Service', description: 'Such as s3, sqs or execute-api.' },
      {
        ...{ name: 'role_arn', label: 'Role', isOptional: true },
        description: 'The keys below fetch those of this role, such as arn:aws:iam::123456789012:role/weft.',
      },
      {
        ...{ name: 'path_style', label: 'Where the bucket stands', isOptional: true },
        choices: [
          { value: '', label: 'In the path with an endpoint, else in the host' },
          { value: 'true', label: 'In the path' },
          { value: 'false', label: 'In the host' },
        ],
      },
      {
        ...{ name: 'sign_payload', label: 'The signature covers the body', isOptional: true },
        choices: [
          { value: 'signed', label: 'Yes' },
          { value: 'unsigned', label: 'No: only for s3 over https' },
        ],
      },
      { name: 'access_key_id', label: 'Access key id', isSecret: true },
      { name: 'secret_access_key', label: 'Secret access key', isSecret: true },
      {
        name: 'session_token',
        label: 'Session token',
        description: 'Of keys that end.',
        isSecret: true,
        isOptional: true,
      },
    ],
  },
  oauth2_client_credentials: { label: 'OAuth 2.0 as a client', fields: CLIENT },
  oauth2: {
    label: 'OAuth 2.0 for a user',
    fields: [{ name: 'authorize_url', label: 'Address for consent' }, ...CLIENT],
  },
};

export const KIND_CHOICES = (Object.keys(KINDS) as LinkKind[]).map((value) => ({ value, label: KINDS[value].label }));

/** What people have entered, by field. */
export type KindValues = Readonly<Partial<Record<KindField['name'], string>>>;

/** The values of a link that can be shown. */
export function valuesOf(settings: Settings, scopes: readonly string[]): KindValues {
  const shown = Object.entries(settings).flatMap(([name, value]: [string, unknown]) =>
    ['string', 'boolean', 'number'].includes(typeof value) ? [[name, String(value)] as const] : [],
  );
  return { ...Object.fromEntries(shown), scopes: scopes.join(' ') };
}

/** What is asked for: of a database more than of other services. */
export function fieldsOf(kind: LinkKind, endpoint: string): readonly KindField[] {
  const isDatabase = /^(?:postgres(?:ql)?|mysql|mariadb):/i.test(endpoint);
  return KINDS[kind].fields.filter(({ isOfDatabase }) => isDatabase || isOfDatabase !== true);
}

/**
 * The part of a request that belongs to the kind.
 *
 * @param before settings of the link: what the form does not ask for stays
 */
export function toKindBody(kind: LinkKind, values: KindValues, before: Settings = {}, endpoint = '') {
  const fields = fieldsOf(kind, endpoint);
  const given = fields.flatMap(({ name }) => (values[name] ? [[name, values[name]] as const] : []));
  const isSetting = (name: string): boolean => !SECRETS.has(name) && !NAMED.has(name) && name !== 'scopes';
  const named = given.filter(([name]) => NAMED.has(name));
  const asked = new Set<string>(fields.map(({ name }) => name));
  const settings = Object.fromEntries([
    ...Object.entries(before).filter(([name]) => !asked.has(name)),
    ...given.filter(([name]) => isSetting(name)).map(([name, value]) => [name, typed(name, value)] as const),
  ]);
  return {
    ...Object.fromEntries(given.filter(([name]) => SECRETS.has(name))),
    ...(named.length > 0 && { secrets: Object.fromEntries(named) }),
    ...(kind === 'basic' && { password: values.password ?? '' }),
    ...(values.scopes && { scopes: values.scopes.split(/\s+/).filter(Boolean) }),
    ...(Object.keys(settings).length > 0 && { settings }),
    kind,
  };
}

function typed(name: string, value: string): string | boolean | number {
  if (name === 'pool') return Number(value);
  return name === 'read_only' || name === 'path_style' ? value === 'true' : value;
}

/** Whether something else than a secret was changed: the API takes it only together with the secrets. */
export function isOther(kind: LinkKind, values: KindValues, before: KindValues, endpoint = ''): boolean {
  return fieldsOf(kind, endpoint).some(
    ({ name, isSecret }) => !isSecret && (values[name] ?? '') !== (before[name] ?? ''),
  );
}

/** Whether something was entered that cannot be read back: without it a link keeps what it has. */
export function hasSecret(values: KindValues): boolean {
  return [...SECRETS, ...NAMED].some((name) => (values[name as SecretName] ?? '') !== '');
}

const SECRETS: ReadonlySet<string> = new Set<OneSecret>(['access_token', 'username', 'password', 'client_secret']);
const NAMED: ReadonlySet<string> = new Set(Object.keys(awsSecrets));

/** A header, and what is sent in it: `{{name}}` stands for the secret of this name. */
export interface HeaderRow {
  readonly header: string;
  readonly text: string;
}

export type Secrets = Readonly<Record<string, string>>;

const SECRET = /\{\{\s*([a-z][a-z0-9_]*)\s*\}\}/g;

/** The names of the secrets in a text. */
export function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(SECRET)].map(([, name = '']) => name))];
}

/** The rows of a link; an empty one to begin with. */
export function rowsOf({ headers = {} }: Settings): readonly HeaderRow[] {
  const rows = Object.entries(headers).map(([header, text]) => ({ header, text }));
  return rows.length > 0 ? rows : withRow([]);
}

/** One row more, with a secret of its own. */
export function withRow(rows: readonly HeaderRow[]): readonly HeaderRow[] {
  const taken = new Set(rows.flatMap(({ text }) => namesIn(text)));
  let number = 1;
  while (taken.has(`key_${number}`)) number += 1;
  return [...rows, { header: '', text: `{{key_${number}}}` }];
}

export function toHeadersBody(rows: readonly HeaderRow[], secrets: Secrets) {
  const filled = begun(rows, secrets);
  const headers = Object.fromEntries(filled.map(({ header, text }) => [header.trim(), text.trim()]));
  const names = filled.flatMap(({ text }) => namesIn(text));
  return {
    kind: 'headers' as const,
    secrets: Object.fromEntries(names.map((name) => [name, secrets[name] ?? ''])),
    settings: { headers },
  };
}

/** Whether each row that was begun has a header and a text with secrets, and each of these is entered. */
export function areComplete(rows: readonly HeaderRow[], secrets: Secrets): boolean {
  const filled = begun(rows, secrets);
  return (
    filled.length > 0 &&
    filled.every(({ header, text }) => {
      const names = namesIn(text);
      return header.trim() !== '' && names.length > 0 && names.every((name) => (secrets[name] ?? '') !== '');
    })
  );
}

/** Without those in which nothing was entered. */
function begun(rows: readonly HeaderRow[], secrets: Secrets): readonly HeaderRow[] {
  return rows.filter(({ header, text }) => header.trim() !== '' || namesIn(text).some((name) => secrets[name]));
}

/** Whether the rows are others than those of the link. */
export function areOther(rows: readonly HeaderRow[], { headers = {} }: Settings): boolean {
  return JSON.stringify(toHeadersBody(rows, {}).settings.headers) !== JSON.stringify(headers);
}
