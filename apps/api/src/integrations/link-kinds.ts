import type { Warning } from '@weft/contracts';
import { AWS_SECRETS, SECRET_IN_HEADER, type LinkKind, type LinkSettings, type LinkTest } from '@weft/shapes';
import { WeftError } from '@weft/kernel';
import { LEAST_MASKED } from '@weft/layers';
import type { UpdateIntegrationBody } from './integration.requests.js';

type TextSecret = 'access_token' | 'username' | 'password' | 'client_secret';
/** `secrets`: several under names. */
type Secret = TextSecret | 'secrets';
type Setting = keyof LinkSettings;

interface KindFields {
  readonly secrets: readonly Secret[];
  readonly settings: readonly Setting[];
  /** Of both; the others may be left out. */
  readonly required: readonly (Secret | Setting)[];
}

const DATABASE = ['tls', 'ca', 'read_only', 'schema', 'pool', 'sasl'] as const;
const CLIENT = ['token_url', 'client_id', 'client_auth', 'audience', 'resource'] as const;
const FIELDS: Readonly<Record<LinkKind, KindFields>> = {
  bearer: { secrets: ['access_token'], settings: [], required: ['access_token'] },
  header: { secrets: ['access_token'], settings: ['header', 'prefix'], required: ['access_token', 'header'] },
  basic: { secrets: ['username', 'password'], settings: DATABASE, required: ['username', 'password'] },
  query: { secrets: ['access_token'], settings: ['parameter'], required: ['access_token', 'parameter'] },
  hmac: {
    secrets: ['access_token'],
    settings: ['header', 'prefix', 'algorithm', 'encoding', 'template', 'timestamp_header'],
    required: ['access_token', 'header'],
  },
  headers: { secrets: ['secrets'], settings: ['headers'], required: ['secrets', 'headers'] },
  aws_sigv4: {
    secrets: ['secrets'],
    settings: ['region', 'service', 'sign_payload', 'path_style', 'role_arn'],
    required: ['secrets', 'region', 'service'],
  },
  oauth2_client_credentials: {
    secrets: ['client_secret'],
    settings: CLIENT,
    required: ['client_secret', 'token_url', 'client_id'],
  },
  oauth2: {
    secrets: ['client_secret'],
    settings: ['authorize_url', 'issuer', 'issuer_promised', ...CLIENT],
    required: ['authorize_url', 'token_url', 'client_id'],
  },
};
const SECRETS: readonly Secret[] = ['access_token', 'username', 'password', 'client_secret', 'secrets'];
const SECRET_NAME = /^[a-z][a-z0-9_]{0,39}$/;
const PRINTABLE = /^[\x20-\x7e]+$/;
const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
/** Of Amazon's keys the last one belongs to those that end. */
const [KEY_ID, KEY] = AWS_SECRETS;
/** Of tokens that somebody got elsewhere. */
const OF_BEARER = ['refresh_token', 'token_expiry'] as const;
/** Names of headers that a redirect takes to other origins, and those that frame a message. */
const NOT_FOR_SECRETS =
  /^(?:accept|accept-.+|cache-control|content-.+|date|idempotency-key|if-.+|pragma|prefer|range|soapaction|traceparent|tracestate|user-agent|host|connection|keep-alive|proxy-connection|transfer-encoding|upgrade|te|trailer|expect)$/i;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export function hasSecret(body: UpdateIntegrationBody): boolean {
  return SECRETS.some((name) => body[name] !== undefined) || body.kind === 'oauth2';
}

/**
 * The settings of a link of this kind, after a look at everything that belongs to a kind.
 *
 * @param body of a link that is made, or that gets new secrets
 * @param before those of the link, if it is of this kind already: they stay where the body has none
 * @throws WeftError `invalid_body`
 */
export function readSettings(kind: LinkKind, body: UpdateIntegrationBody, before: LinkSettings = {}): LinkSettings {
  const { secrets, settings: own, required } = FIELDS[kind];
  const settings: LinkSettings = body.settings ?? before;
  for (const name of SECRETS) {
    if (body[name] !== undefined && !secrets.includes(name)) throw notOf(kind, name);
  }
  if (kind !== 'bearer') {
    const strange = OF_BEARER.find((name) => body[name] !== undefined && body[name] !== null);
    if (strange) throw notOf(kind, strange);
  }
  for (const name of Object.keys(settings) as Setting[]) {
    if (settings[name] !== undefined && !own.includes(name)) throw notOf(kind, `settings.${name}`);
  }
  for (const name of required) {
    const isSecret = (SECRETS as readonly string[]).includes(name);
    const value = isSecret ? body[name as Secret] : settings[name as Setting];
    if (value === undefined) throw refusal(isSecret ? name : `settings.${name}`, `is required for the kind ${kind}`);
  }
  if (body.username?.includes(':')) throw refusal('username', 'must have no colon: it ends the user name');
  for (const name of ['header', 'timestamp_header'] as const) {
    const header = settings[name];
    if (header !== undefined && NOT_FOR_SECRETS.test(header)) {
      throw refusal(`settings.${name}`, `must not be ${header}, which has a meaning of its own`);
    }
  }
  if (settings.issuer_promised === true && settings.issuer === undefined) {
    throw refusal('settings.issuer', 'is required where issuer_promised is true: it is what an answer must name');
  }
  for (const name of ['token_url', 'authorize_url', 'resource', 'issuer'] as const)
    assertAddress(`settings.${name}`, settings[name]);
  const { secrets: named = {} } = body;
  for (const [name, secret] of Object.entries(named)) {
    if (!SECRET_NAME.test(name)) throw refusal('secrets', `has "${name}": names are lower case letters, digits and _`);
    if (!PRINTABLE.test(secret)) throw refusal(`secrets.${name}`, 'must be printable ASCII, and not empty');
  }
  if (kind === 'headers') assertHeaders(settings.headers ?? {}, named);
  if (kind === 'aws_sigv4') assertKeys(named);
  return settings;
}

type Texts = Readonly<Record<string, string>>;

/** Each header has a secret, and each secret a header. */
function assertHeaders(headers: Texts, secrets: Texts): void {
  const seen = new Set<string>();
  const used = new Set<string>();
  for (const [header, text] of Object.entries(headers)) {
    const path = `settings.headers.${header}`;
    if (!HEADER_NAME.test(header))
      throw refusal('settings.headers', `has "${header}", which is not the name of a header`);
    if (NOT_FOR_SECRETS.test(header)) throw refusal(path, 'must not be set: this header has a meaning of its own');
    if (seen.has(header.toLowerCase())) throw refusal(path, 'is there twice');
    seen.add(header.toLowerCase());
    if (!PRINTABLE.test(text)) throw refusal(path, 'must be printable ASCII, and not empty');
    const names = [...text.matchAll(SECRET_IN_HEADER)].map(([, name]) => name ?? '');
    if (names.length === 0) throw refusal(path, 'must have a secret in it, such as {{api_key}}');
    const unknown = names.find((name) => !Object.hasOwn(secrets, name));
    if (unknown !== undefined) throw refusal(path, `has {{${unknown}}}, and secrets has no ${unknown}`);
    for (const name of names) used.add(name);
  }
  if (seen.size === 0) throw refusal('settings.headers', 'must have a header');
  const idle = Object.keys(secrets).find((name) => !used.has(name));
  if (idle !== undefined) throw refusal(`secrets.${idle}`, `is in no header: write {{${idle}}} into settings.headers`);
}

function assertKeys(secrets: Texts): void {
  const known: readonly string[] = AWS_SECRETS;
  const strange = Object.keys(secrets).find((name) => !known.includes(name));
  if (strange !== undefined) throw refusal(`secrets.${strange}`, `does not belong here: there are ${known.join(', ')}`);
  for (const name of [KEY_ID, KEY]) {
    if (secrets[name] === undefined) throw refusal(`secrets.${name}`, 'is required for the kind aws_sigv4');
  }
}

/** Secrets that requests show, and that are too short to be removed from answers that repeat them. */
export function doubtsAboutSecrets(kind: LinkKind, body: UpdateIntegrationBody): Warning[] {
  if (kind === 'hmac' || kind === 'aws_sigv4') return [];
  if (kind === 'headers') {
    return Object.entries(body.secrets ?? {}).flatMap(([name, secret]) => tooShort(`secrets.${name}`, secret));
  }
  // services that have one key take it as the user name
  const path = kind !== 'basic' ? 'access_token' : body.password === '' ? 'username' : 'password';
  return tooShort(path, body[path]);
}

function tooShort(path: string, secret: string | undefined): Warning[] {
  if (secret === undefined || secret.length >= LEAST_MASKED) return [];
  const message = `${path} has fewer than ${LEAST_MASKED} characters: it is not removed from answers of peers that repeat it`;
  return [{ path, code: 'short_secret', message }];
}

/** @throws WeftError `invalid_body` */
export function assertTestable(test: LinkTest | null | undefined, endpoint: string | null | undefined): void {
  if (!test || /^https?:/i.test(endpoint ?? '')) return;
  throw refusal('test', 'needs an endpoint that begins with http:// or https://');
}

function assertAddress(path: string, text: string | undefined): void {
  if (text === undefined) return;
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (url?.username === '' && url.password === '' && url.hash === '' && isSafe) return;
  throw refusal(path, 'must be an https address without user and fragment; http on this machine alone');
}

function notOf(kind: LinkKind, path: string): WeftError {
  const { secrets, settings } = FIELDS[kind];
  const known = [...secrets, ...settings.map((name) => `settings.${name}`)].join(', ');
  return refusal(path, `does not belong to the kind ${kind}, which has ${known}`);
}

function refusal(path: string, why: string): WeftError {
  const message = `${path} ${why}`;
  return new WeftError('invalid_body', `${message}.`, { errors: [{ path, code: 'invalid', message }] });
}
