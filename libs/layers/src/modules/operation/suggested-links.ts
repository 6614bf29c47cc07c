/** Which integration link shows what an operation asks for, as its document says. Pure. */
import { serverAddress, type ApiFacts, type OperationPlan, type SecurityChoice } from '@weft/openapi';
import type { LinkKind, LinkSettings } from '@weft/shapes';

/** The body of a link without its name and its secrets: what a person adds. */
export interface SuggestedLink {
  /** Names of the security schemes of the document, all of which it shows. */
  readonly schemes: readonly string[];
  readonly kind: LinkKind;
  /** Where the operations are; null: the document does not say it, or not in a way that a link can have. */
  readonly endpoint: string | null;
  readonly settings: LinkSettings;
  readonly scopes: readonly string[];
  /** What the document says of the credential; may be empty. */
  readonly description: string;
}

type Scheme = Readonly<Record<string, unknown>>;
type Shown = Pick<SuggestedLink, 'kind' | 'settings'>;

export interface Asked {
  readonly security: readonly Pick<SecurityChoice, 'schemes' | 'scopes'>[];
  readonly schemes: ApiFacts['schemes'];
  /** Where the operations are. */
  readonly server: OperationPlan['servers'][number] | undefined;
  readonly baseUrl: string | null;
}

/** Choices that are looked at. */
const MOST_CHOICES = 20;
const MAX_DESCRIPTION = 1_000;
/** Of one link. */
const MAX_SCOPES = 100;
const MAX_SCOPE = 200;
const MAX_HEADERS = 20;
const VISIBLE = /^[\x21-\x7e]+$/;
const HEADER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const PARAMETER = /^[\x20-\x7e]{1,100}$/;
/** Of `http`: the answer to a challenge, or a proof that is made for each request. */
const CHALLENGES = /^(?:digest|negotiate|ntlm|hoba|mutual|scram-.*|dpop|vapid|signature)$/;
/** As the API takes the endpoint of a link. */
const ENDPOINT = /^https?:\/\/(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?(?:\/[^\s?#@]*)?$/i;

/** In the order of `security`, of its first 20; what no kind of link can show is left out. */
export function suggestedLinks({ security, schemes, server, baseUrl }: Asked): readonly SuggestedLink[] {
  const address = baseUrl ?? addressOf(server);
  const endpoint = address !== null && ENDPOINT.test(address) ? address : null;
  return security.slice(0, MOST_CHOICES).flatMap((choice): SuggestedLink[] => {
    const found = choice.schemes.map((name) => (Object.hasOwn(schemes, name) ? schemes[name] : undefined));
    if (found.length === 0 || found.some((scheme) => scheme === undefined)) return [];
    const described = found as readonly Scheme[];
    const [only, ...others] = described;
    const ways = others.length > 0 ? inHeaders(choice.schemes, described) : waysOf(only ?? {}, address);
    const takesScopes = described.some(({ type }) => type === 'oauth2' || type === 'openIdConnect');
    const scopes = takesScopes ? choice.scopes.filter((each) => each.length <= MAX_SCOPE && VISIBLE.test(each)) : [];
    const description = described
      .flatMap(({ description: text }) => (typeof text === 'string' ? [text.trim()] : []))
      .join('\n')
      .slice(0, MAX_DESCRIPTION)
      .toWellFormed();
    return ways.map((shown) => ({
      ...{ schemes: choice.schemes, ...shown, endpoint, description },
      scopes: shown.kind.startsWith('oauth2') ? scopes.slice(0, MAX_SCOPES) : [],
    }));
  });
}

function addressOf(server: Asked['server']): string | null {
  try {
    return server ? serverAddress(server) : null;
  } catch {
    return null;
  }
}

/** How one scheme can be shown, the best way first. */
function waysOf(scheme: Scheme, base: string | null): readonly Shown[] {
  const { type, in: place, name } = scheme;
  if (type === 'apiKey' && place === 'query') {
    return typeof name === 'string' && PARAMETER.test(name) ? [{ kind: 'query', settings: { parameter: name } }] : [];
  }
  if (type === 'http' && nameOf(scheme) === 'basic') return [{ kind: 'basic', settings: {} }];
  // of OpenID Connect the import has put them there, from what it has read at its address
  if (type === 'oauth2' || type === 'openIdConnect') return [...flowsOf(scheme, base), BEARER];
  const header = headerOf(scheme);
  if (!header) return [];
  if (isBearer(header)) return [BEARER];
  const { header: named, prefix } = header;
  return [{ kind: 'header', settings: { header: named, ...(prefix !== '' && { prefix }) } }];
}

const BEARER: Shown = { kind: 'bearer', settings: {} };

/** Several at once: a link has headers for them. */
function inHeaders(names: readonly string[], schemes: readonly Scheme[]): readonly Shown[] {
  const headers: Record<string, string> = {};
  const taken = new Set<string>();
  for (const [i, scheme] of schemes.entries()) {
    const shown =
      scheme.type === 'oauth2' || scheme.type === 'openIdConnect'
        ? { header: 'Authorization', prefix: 'Bearer ' }
        : headerOf(scheme);
    if (!shown || taken.has(shown.header.toLowerCase()) || taken.size === MAX_HEADERS) return [];
    taken.add(shown.header.toLowerCase());
    headers[shown.header] = `${shown.prefix}{{${secretName(names[i] ?? '', i)}}}`;
  }
  return [{ kind: 'headers', settings: { headers } }];
}

function secretName(scheme: string, at: number): string {
  const words = scheme
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
  const name = words.replaceAll(/^[_0-9]+|_+$/g, '').slice(0, 30);
  // two schemes may have the same letters
  return name === '' ? `key_${at + 1}` : `${name}_${at + 1}`;
}

interface InHeader {
  readonly header: string;
  readonly prefix: string;
}

function headerOf(scheme: Scheme): InHeader | null {
  const { type, in: place, name } = scheme;
  if (type === 'http') {
    const word = nameOf(scheme);
    if (word === 'basic' || CHALLENGES.test(word) || !/^[a-z0-9_-]{1,50}$/.test(word)) return null;
    return { header: 'Authorization', prefix: word === 'bearer' ? 'Bearer ' : `${String(scheme.scheme).trim()} ` };
  }
  if (type !== 'apiKey' || typeof name !== 'string') return null;
  if (place === 'cookie') return HEADER.test(name) ? { header: 'Cookie', prefix: `${name}=` } : null;
  if (place !== 'header' || !HEADER.test(name)) return null;
  const isUsual = name.toLowerCase() === 'authorization';
  return { header: isUsual ? 'Authorization' : name, prefix: isUsual ? prefixIn(scheme.description) : '' };
}

function isBearer({ header, prefix }: InHeader): boolean {
  return header === 'Authorization' && prefix === 'Bearer ';
}

function nameOf({ scheme }: Scheme): string {
  return typeof scheme === 'string' ? scheme.trim().toLowerCase() : '';
}

/**
 * The word before the key, which many documents only tell in prose: `Authorization: Bearer {token}`, `prefix "DeepL-Auth-Key "`, `the
 * Bearer scheme`.
 */
const PREFIXES = [
  /\bauthorization["'`]?\s*[:=]\s*["'`]?([A-Za-z][\w-]{1,40})\s+[^\s]/i,
  /["'`]([A-Za-z][\w-]{1,40})\s+["'`<{[$]/,
  /["'`]([A-Za-z][\w-]{1,40})\s*["'`]\s*(?:as\s+(?:a\s+)?)?(?:prefix|followed by)\b/i,
  /\bprefix(?:ed)?\s+(?:with\s+|by\s+|of\s+|is\s+|it\s+with\s+)?["'`]?([A-Z][\w-]{1,40})\b/,
  /\b(bearer|token)\s+(?:scheme|authentication|prefix|<|\{|\[)/i,
];

function prefixIn(description: unknown): string {
  const text = typeof description === 'string' ? description.slice(0, 4_000) : '';
  for (const pattern of PREFIXES) {
    const word = pattern.exec(text)?.[1];
    if (word !== undefined) return word.toLowerCase() === 'bearer' ? 'Bearer ' : `${word} `;
  }
  return '';
}

/** The flows for which a link fetches tokens by itself. */
function flowsOf({ flows }: Scheme, base: string | null): readonly Shown[] {
  const [code, client] = ['authorizationCode', 'clientCredentials'].map((name) => fieldOf(flows, name));
  const tokenOf = (flow: unknown): string | null => addressAt(fieldOf(flow, 'tokenUrl'), base);
  const consent = addressAt(fieldOf(code, 'authorizationUrl'), base);
  const [codeToken, clientToken] = [tokenOf(code), tokenOf(client)];
  return [
    ...(codeToken !== null && consent !== null
      ? [{ kind: 'oauth2' as const, settings: { authorize_url: consent, token_url: codeToken } }]
      : []),
    ...(clientToken !== null
      ? [{ kind: 'oauth2_client_credentials' as const, settings: { token_url: clientToken } }]
      : []),
  ];
}

/** Relative to where the operations are. */
function addressAt(written: unknown, base: string | null): string | null {
  if (typeof written !== 'string' || written === '' || written.length > 2_000) return null;
  const url = URL.parse(written, base ?? undefined);
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url.href : null;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
