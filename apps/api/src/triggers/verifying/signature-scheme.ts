import type { DedupeRule } from '@weft/records';
import type { Verifier } from '@weft/shapes';

/** How a sender signs a delivery with HMAC. Presets and the type `hmac` are values of this one type. */
export interface SignatureScheme {
  /** With the signature, in lower case; so are all names of headers here. */
  readonly header: string;
  /** Between several signatures in that header; null: it has one. */
  readonly separator: string | null;
  readonly algorithm: NonNullable<Verifier['algorithm']>;
  readonly encoding: NonNullable<Verifier['encoding']>;
  /** Before each signature. Parts of the header without it are ignored. */
  readonly prefix: string;
  /** What is signed: text with `{body}` (the bytes as they came) or `{url}`, and perhaps `{timestamp}`, `{id}` and `{form}`. */
  readonly template: string;
  readonly id_header: string | null;
  /** Where Unix seconds are found: in a header, or in a part of the signature's header, after this prefix. */
  readonly timestamp: { readonly header: string } | { readonly part: string } | null;
  /** How far the timestamp may be from now; null where there is no timestamp. */
  readonly tolerance_seconds: number | null;
  /** How the key is written in the secret: as text, or in Base64 after `whsec_`. */
  readonly key: 'text' | 'whsec';
  /** Before a signature by Ed25519; a secret `whpk_` is then the public key of the sender. Left out: the service has no such signatures. */
  readonly ed25519Prefix?: string;
}

/** The check of an address by a service. */
export interface Challenge {
  readonly in: 'query' | 'body';
  readonly field: string;
  readonly as: 'text' | 'json';
  /** Other fields that must have these values; null: the trigger's token. */
  readonly when?: Readonly<Record<string, string | null>>;
  /** The check is not signed: it is answered before anything is verified. Checks in the query never are signed. */
  readonly isUnsigned?: true;
}

/** How a delivery proves who sent it, besides by a signature of its bytes. */
export type Proof =
  /** The token in this header. */
  | { readonly kind: 'token'; readonly header: string }
  /** The token in each element of a list in the body: `list[].field`. */
  | { readonly kind: 'body_token'; readonly list: string; readonly field: string }
  /** A JWT in the header Authorization, signed by HS256; nothing proves it where no secret is given. */
  | { readonly kind: 'jwt' };

/** A service that Weft knows. */
export interface Preset {
  /** One of these. */
  readonly schemes?: readonly SignatureScheme[];
  readonly proof?: Proof;
  /** Which secrets it has; those with a question mark may be left out. */
  readonly fields: readonly ('secrets' | 'secrets?' | 'token')[];
  /** Where its id of a delivery is; the first that has one. */
  readonly dedupe: readonly DedupeRule[];
  /** It is answered, and runs nothing. */
  readonly challenge?: Challenge;
  /** A form whose field `payload` is JSON: that is the body. */
  readonly hasPayload?: true;
  /** Deliveries with this header announce the subscription, and run nothing. */
  readonly ping?: { readonly header: string; readonly equals: string };
}

const HMAC_OF_BODY = {
  separator: null,
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: '',
  template: '{body}',
  id_header: null,
  timestamp: null,
  tolerance_seconds: null,
  key: 'text',
} as const satisfies Partial<SignatureScheme>;

const FIVE_MINUTES = 300;

/** Standard Webhooks, and the same under the names that Svix gave its headers before. */
const standardBy = (name: 'webhook' | 'svix'): SignatureScheme => ({
  ...HMAC_OF_BODY,
  header: `${name}-signature`,
  separator: ' ',
  encoding: 'base64',
  prefix: 'v1,',
  template: '{id}.{timestamp}.{body}',
  id_header: `${name}-id`,
  timestamp: { header: `${name}-timestamp` },
  tolerance_seconds: FIVE_MINUTES,
  key: 'whsec',
  ed25519Prefix: 'v1a,',
});
const STANDARD: Preset = {
  schemes: [standardBy('webhook'), standardBy('svix')],
  fields: ['secrets'],
  dedupe: [{ header: 'webhook-id' }, { header: 'svix-id' }],
};

export const PRESETS = {
  standard: STANDARD,
  svix: STANDARD,
  github: {
    schemes: [{ ...HMAC_OF_BODY, header: 'x-hub-signature-256', prefix: 'sha256=' }],
    fields: ['secrets'],
    dedupe: [{ header: 'x-github-delivery' }],
    hasPayload: true,
    ping: { header: 'x-github-event', equals: 'ping' },
  },
  gitlab: {
    proof: { kind: 'token', header: 'x-gitlab-token' },
    fields: ['token'],
    dedupe: [{ header: 'idempotency-key' }],
  },
  stripe: {
    schemes: [
      {
        ...HMAC_OF_BODY,
        header: 'stripe-signature',
        separator: ',',
        prefix: 'v1=',
        template: '{timestamp}.{body}',
        timestamp: { part: 't=' },
        tolerance_seconds: FIVE_MINUTES,
      },
    ],
    fields: ['secrets'],
    dedupe: [{ expression: '{{ $hook.body.id }}' }],
  },
  slack: {
    schemes: [
      {
        ...HMAC_OF_BODY,
        header: 'x-slack-signature',
        prefix: 'v0=',
        template: 'v0:{timestamp}:{body}',
        timestamp: { header: 'x-slack-request-timestamp' },
        tolerance_seconds: FIVE_MINUTES,
      },
    ],
    fields: ['secrets'],
    hasPayload: true,
    // events have the one, commands the other
    dedupe: [{ expression: '{{ $hook.body.event_id }}' }, { expression: '{{ $hook.body.trigger_id }}' }],
    challenge: { in: 'body', field: 'challenge', as: 'json', when: { type: 'url_verification' } },
  },
  shopify: {
    schemes: [{ ...HMAC_OF_BODY, header: 'x-shopify-hmac-sha256', encoding: 'base64' }],
    fields: ['secrets'],
    dedupe: [{ header: 'x-shopify-webhook-id' }],
  },
  meta: {
    schemes: [{ ...HMAC_OF_BODY, header: 'x-hub-signature-256', prefix: 'sha256=' }],
    fields: ['secrets', 'token'],
    dedupe: [],
    challenge: {
      ...{ in: 'query', field: 'hub.challenge', as: 'text' },
      when: { 'hub.mode': 'subscribe', 'hub.verify_token': null },
    },
  },
  dropbox: {
    schemes: [{ ...HMAC_OF_BODY, header: 'x-dropbox-signature' }],
    fields: ['secrets'],
    dedupe: [],
    challenge: { in: 'query', field: 'challenge', as: 'text' },
  },
  msgraph: {
    proof: { kind: 'body_token', list: 'value', field: 'clientState' },
    fields: ['token'],
    dedupe: [],
    challenge: { in: 'query', field: 'validationToken', as: 'text' },
  },
  monday: {
    proof: { kind: 'jwt' },
    fields: ['secrets?'],
    dedupe: [{ expression: '{{ $hook.body.event.triggerUuid }}' }],
    challenge: { in: 'body', field: 'challenge', as: 'json', isUnsigned: true },
  },
  twilio: {
    schemes: [
      {
        ...HMAC_OF_BODY,
        ...{ header: 'x-twilio-signature', algorithm: 'sha1', encoding: 'base64', template: '{url}{form}' },
      },
    ],
    fields: ['secrets'],
    dedupe: [{ header: 'i-twilio-idempotency-token' }],
  },
  calendly: {
    schemes: [
      {
        ...HMAC_OF_BODY,
        ...{ header: 'calendly-webhook-signature', separator: ',', prefix: 'v1=', template: '{timestamp}.{body}' },
        ...{ timestamp: { part: 't=' }, tolerance_seconds: FIVE_MINUTES },
      },
    ],
    fields: ['secrets'],
    dedupe: [],
  },
  paddle: {
    schemes: [
      {
        ...HMAC_OF_BODY,
        ...{ header: 'paddle-signature', separator: ';', prefix: 'h1=', template: '{timestamp}:{body}' },
        ...{ timestamp: { part: 'ts=' }, tolerance_seconds: FIVE_MINUTES },
      },
    ],
    fields: ['secrets'],
    dedupe: [{ expression: '{{ $hook.body.event_id }}' }],
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof PRESETS;

export function presetOf(type: string): Preset | null {
  return Object.hasOwn(PRESETS, type) ? PRESETS[type as PresetName] : null;
}

/** The scheme of a verifier of type `hmac`, from its fields as they are stored. */
export function genericScheme(fields: Readonly<Record<string, unknown>>): SignatureScheme {
  const stored = fields as Pick<SignatureScheme, 'header' | 'algorithm' | 'encoding' | 'prefix' | 'template'> & {
    readonly id_header: string | null;
    readonly timestamp_header: string | null;
    readonly tolerance_seconds: number | null;
    readonly separator?: string;
    readonly timestamp_prefix?: string | null;
  };
  const { header, algorithm, encoding, prefix, template, id_header, timestamp_header, tolerance_seconds } = stored;
  const { timestamp_prefix = null } = stored;
  const part = timestamp_prefix === null ? null : { part: timestamp_prefix };
  return {
    ...{ header, algorithm, encoding, prefix, template, id_header, tolerance_seconds },
    separator: stored.separator ?? ' ', // no encoding has these: where a sender gives one signature, it is the only part
    timestamp: timestamp_header === null ? part : { header: timestamp_header },
    key: 'text',
  };
}
