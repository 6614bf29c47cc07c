/** What a form asks for to make a link of each kind, in this order: docs/integrations.md, kinds of links. */
import type { components } from '@weft/client';

export type LinkKind = components['schemas']['Integration']['Kind'];
type Settings = NonNullable<components['schemas']['UpdateIntegrationBody']['settings']>;
export type SecretName = 'access_token' | 'username' | 'password' | 'client_secret';
type SettingName = 'header' | 'prefix' | 'parameter' | 'template' | 'authorize_url' | 'token_url' | 'client_id';

export interface KindField {
  readonly name: SecretName | SettingName | 'scopes';
  readonly label: string;
  readonly description?: string;
  readonly isSecret?: boolean;
  readonly isOptional?: boolean;
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
      { name: 'access_token', label: 'Key', isSecret: true },
    ],
  },
  basic: {
    label: 'User name and password',
    fields: [
      { name: 'username', label: 'User name' },
      { name: 'password', label: 'Password', isSecret: true, isOptional: true },
    ],
  },
  query: {
    label: 'Key in the address',
    fields: [
      { name: 'parameter', label: 'Name in the address' },
      { name: 'access_token', label: 'Key', isSecret: true },
    ],
  },
  hmac: {
    label: 'Signed requests',
    fields: [
      { name: 'header', label: 'Header with the signature' },
      { name: 'template', label: 'What is signed', description: 'Default: {body}.', isOptional: true },
      { name: 'access_token', label: 'Key', isSecret: true },
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
  const { header, prefix, parameter, template, authorize_url, token_url, client_id } = settings;
  return { header, prefix, parameter, template, authorize_url, token_url, client_id, scopes: scopes.join(' ') };
}

/**
 * The part of a request that belongs to the kind.
 *
 * @param before settings of the link: what the form does not ask for stays
 */
export function toKindBody(kind: LinkKind, values: KindValues, before: Settings = {}) {
  const { fields } = KINDS[kind];
  const given = fields.flatMap(({ name }) => (values[name] ? [[name, values[name]] as const] : []));
  const isSetting = (name: string): boolean => !SECRETS.has(name) && name !== 'scopes';
  const settings = { ...before, ...Object.fromEntries(given.filter(([name]) => isSetting(name))) };
  return {
    ...Object.fromEntries(given.filter(([name]) => SECRETS.has(name))),
    ...(kind === 'basic' && { password: values.password ?? '' }),
    ...(values.scopes && { scopes: values.scopes.split(/\s+/).filter(Boolean) }),
    ...(Object.keys(settings).length > 0 && { settings }),
    kind,
  };
}

/** Whether something was entered that cannot be read back: without it a link keeps what it has. */
export function hasSecret(values: KindValues): boolean {
  return [...SECRETS].some((name) => (values[name as SecretName] ?? '') !== '');
}

const SECRETS: ReadonlySet<string> = new Set<SecretName>(['access_token', 'username', 'password', 'client_secret']);
