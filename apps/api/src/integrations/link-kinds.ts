import type { Warning } from '@weft/contracts';
import type { LinkKind, LinkSettings, LinkTest } from '@weft/shapes';
import { WeftError } from '@weft/kernel';
import { LEAST_MASKED } from '@weft/layers';
import type { UpdateIntegrationBody } from './integration.requests.js';

type Secret = 'access_token' | 'username' | 'password' | 'client_secret';
type Setting = keyof LinkSettings;

interface KindFields {
  readonly secrets: readonly Secret[];
  readonly settings: readonly Setting[];
  /** Of both; the others may be left out. */
  readonly required: readonly (Secret | Setting)[];
}

const CLIENT = ['token_url', 'client_id', 'client_auth', 'audience'] as const;
const FIELDS: Readonly<Record<LinkKind, KindFields>> = {
  bearer: { secrets: ['access_token'], settings: [], required: ['access_token'] },
  header: { secrets: ['access_token'], settings: ['header', 'prefix'], required: ['access_token', 'header'] },
  basic: { secrets: ['username', 'password'], settings: [], required: ['username', 'password'] },
  query: { secrets: ['access_token'], settings: ['parameter'], required: ['access_token', 'parameter'] },
  hmac: {
    secrets: ['access_token'],
    settings: ['header', 'prefix', 'algorithm', 'encoding', 'template', 'timestamp_header'],
    required: ['access_token', 'header'],
  },
  oauth2_client_credentials: {
    secrets: ['client_secret'],
    settings: CLIENT,
    required: ['client_secret', 'token_url', 'client_id'],
  },
  oauth2: {
    secrets: ['client_secret'],
    settings: ['authorize_url', ...CLIENT],
    required: ['authorize_url', 'token_url', 'client_id'],
  },
};
const SECRETS: readonly Secret[] = ['access_token', 'username', 'password', 'client_secret'];
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
  for (const name of ['token_url', 'authorize_url'] as const) assertAddress(`settings.${name}`, settings[name]);
  return settings;
}

/** Secrets that requests show, and that are too short to be removed from answers that repeat them. */
export function doubtsAboutSecrets(kind: LinkKind, body: UpdateIntegrationBody): Warning[] {
  if (kind === 'hmac') return [];
  // services that have one key take it as the user name
  const path = kind !== 'basic' ? 'access_token' : body.password === '' ? 'username' : 'password';
  const secret = body[path];
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
