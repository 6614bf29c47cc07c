/** Puts fields of the layer's integration link where its headers and its query say `{{ $link.<field> }}` (ADR 102). */
import type { LinkKind } from '@weft/shapes';
import { mayCrossOrigins } from '@weft/egress';
import type { LinkField } from '@weft/expressions';
import { LayerFailure, type Connection } from '../../layer-module.js';
import { hasMark, withFields } from '../../call/link-marks.js';
import { secretsByName } from '../../call/link-secrets.js';
import type { WebRequestArgs } from './args.js';

export const LINK_PLACES = ['headers', 'query'] as const;

/** In arguments as they are written. */
const WRITTEN = /\{\{\s*\$link\b/;
const FIELD = /\{\{\s*\$link\.(\w+)/g;

/** The key that signs is never sent; `headers` says itself where each of its secrets is sent. */
const FIELDS: Readonly<Record<LinkKind, readonly LinkField[]>> = {
  bearer: ['access_token'],
  header: ['access_token'],
  query: ['access_token'],
  oauth2: ['access_token'],
  oauth2_client_credentials: ['access_token'],
  basic: ['username', 'password'],
  hmac: [],
  headers: [],
  aws_sigv4: [],
};
/** Why a link has no field that can be sent elsewhere. */
const NO_FIELD: Partial<Readonly<Record<LinkKind, string>>> = {
  headers: 'it shows its secrets in the headers of its settings',
};

interface Filled {
  readonly args: WebRequestArgs;
  /** The fields that are sent. */
  readonly secrets: readonly string[];
}

/**
 * The arguments as they are sent. They are for nothing else: what is stored, shown or compared has marks.
 *
 * @throws LayerFailure `invalid_args`, `integration_unusable`, `destination_blocked`
 */
export function withLinkFields(args: WebRequestArgs, link: Connection | null): Filled {
  const used = Object.entries(args.headers).filter(([, value]) => hasMark(value));
  if (used.length === 0 && !Object.values(args.query).some(isMarked)) return { args, secrets: [] };
  if (!link) throw new LayerFailure('invalid_args', NEEDS_LINK);
  const crossing = used.find(([name]) => mayCrossOrigins(name));
  if (crossing) throw new LayerFailure('invalid_args', `headers.${crossing[0]}: ${CROSSES}`);
  assertAtOrigin(args.url, link);
  const secrets = new Set<string>();
  const fill = <T>(value: T): T => {
    if (Array.isArray(value)) return value.map((each: unknown) => fill(each)) as T;
    if (!hasMark(value)) return value;
    return withFields(value, (field) => {
      const fault = faultOfField(field, link.kind);
      if (fault !== null) throw new LayerFailure('invalid_args', fault);
      const secret = secretsByName(link)[field] ?? '';
      secrets.add(secret);
      return secret;
    }) as T;
  };
  const filled = { ...args, headers: mapValues(args.headers, fill), query: mapValues(args.query, fill) };
  return { args: filled, secrets: [...secrets] };
}

/**
 * @param subject what is sent to the origin of the link's endpoint alone
 * @throws LayerFailure `destination_blocked`; `integration_unusable` for a link without an endpoint
 */
export function assertAtOrigin(url: string, link: Pick<Connection, 'endpoint'>, subject = '$link'): void {
  const elsewhere = faultOfOrigin(url, link, subject);
  if (elsewhere) throw elsewhere;
}

/** The values of the query that hold a field of the link: an address that the peer names does not have them. */
export function markedQuery(query: WebRequestArgs['query']): WebRequestArgs['query'] {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => isMarked(value)));
}

/** What is wrong with `$link` in arguments as they are written, whatever the link is. */
export function faultOfLink(args: Written): { readonly path: string; readonly message: string } | null {
  const texts = textsWithLink(args);
  const crossing = texts.find(({ place, name }) => place === 'headers' && mayCrossOrigins(name));
  if (crossing) return { path: crossing.path, message: `${crossing.path}: ${CROSSES}` };
  const [first] = texts;
  if (!first || (args.auth !== undefined && args.auth !== null)) return null;
  return { path: first.path, message: `${first.path}: ${NEEDS_LINK}` };
}

/** What will fail with the link as it is now, which may change. */
export function doubtsAboutLink(
  args: Written,
  link: Pick<Connection, 'kind' | 'endpoint'>,
): { readonly path: string; readonly message: string }[] {
  const texts = textsWithLink(args);
  if (texts.length === 0) return [];
  const { url } = args;
  const isKnown = typeof url === 'string' && !url.split('/', 3).join('/').includes('{{');
  const elsewhere = isKnown || !httpOrigin(link.endpoint) ? faultOfOrigin(isKnown ? url : null, link) : null;
  const doubts = texts.flatMap(({ path, text }) =>
    [...text.matchAll(FIELD)].flatMap(([, field]) => {
      const message = faultOfField(field as LinkField, link.kind);
      return message === null ? [] : [{ path, message }];
    }),
  );
  return elsewhere ? [{ path: 'url', message: elsewhere.message }, ...doubts] : doubts;
}

type Written = Readonly<Record<string, unknown>>;

const NEEDS_LINK = '$link is the integration link that auth names, and there is no auth: { integrationId } here';
const CROSSES = 'redirects take a header of this name to other origins, so it must not have a field of $link';

interface LinkText {
  readonly place: string;
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

function textsWithLink(args: Written): LinkText[] {
  return LINK_PLACES.flatMap((place) => {
    const values = args[place];
    if (typeof values !== 'object' || values === null || Array.isArray(values)) return [];
    return Object.entries(values).flatMap(([name, value]) =>
      [value as unknown]
        .flat()
        .filter((text) => typeof text === 'string' && WRITTEN.test(text))
        .map((text) => ({ place, name, path: `${place}.${name}`, text: text as string })),
    );
  });
}

function isMarked(value: unknown): boolean {
  return Array.isArray(value) ? value.some(hasMark) : hasMark(value);
}

/**
 * Whoever writes the layer chose its url; whoever made the link chose its endpoint, together with the secret.
 *
 * @param url null: not known yet
 */
function faultOfOrigin(
  url: string | null,
  { endpoint }: Pick<Connection, 'endpoint'>,
  subject = '$link',
): LayerFailure | null {
  const own = httpOrigin(endpoint);
  if (own === null) {
    const why = `it has no http endpoint, and ${subject} is sent to the origin of the endpoint alone`;
    return new LayerFailure('integration_unusable', `The integration cannot be used: ${why}.`);
  }
  const origin = url === null ? own : (URL.parse(url)?.origin ?? 'no address');
  if (origin === own) return null;
  const message = `${subject} is sent to the origin of its link's endpoint (${own}) alone, not to ${origin}`;
  return new LayerFailure('destination_blocked', message);
}

function httpOrigin(endpoint: string | null): string | null {
  const url = endpoint === null ? null : URL.parse(endpoint);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.origin : null;
}

/** Null: a link of this kind has the field. */
function faultOfField(field: LinkField, kind: LinkKind = 'bearer'): string | null {
  const known = FIELDS[kind];
  if (known.includes(field)) return null;
  const hint =
    known.length > 0
      ? `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`
      : (NO_FIELD[kind] ?? 'its key signs requests and is never sent');
  return `$link.${field}: a link of the kind ${kind} has no ${field}; ${hint}`;
}

function mapValues<T>(values: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
