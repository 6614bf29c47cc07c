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
  /** What is signed: text with `{body}` (the bytes as they came) once, and perhaps `{timestamp}` and `{id}`. */
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

/** A service that Weft knows. */
export interface Preset {
  readonly scheme: SignatureScheme;
  /** Where its id of a delivery is; the first that has one. */
  readonly dedupe: readonly DedupeRule[];
  /** A body with this field is a check of the address: it is answered with the value of `echo`, and runs nothing. */
  readonly challenge?: { readonly field: string; readonly equals: string; readonly echo: string };
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

export const PRESETS = {
  standard: {
    scheme: {
      ...HMAC_OF_BODY,
      header: 'webhook-signature',
      separator: ' ',
      encoding: 'base64',
      prefix: 'v1,',
      template: '{id}.{timestamp}.{body}',
      id_header: 'webhook-id',
      timestamp: { header: 'webhook-timestamp' },
      tolerance_seconds: FIVE_MINUTES,
      key: 'whsec',
      ed25519Prefix: 'v1a,',
    },
    dedupe: [{ header: 'webhook-id' }],
  },
  github: {
    scheme: { ...HMAC_OF_BODY, header: 'x-hub-signature-256', prefix: 'sha256=' },
    dedupe: [{ header: 'x-github-delivery' }],
    ping: { header: 'x-github-event', equals: 'ping' },
  },
  stripe: {
    scheme: {
      ...HMAC_OF_BODY,
      header: 'stripe-signature',
      separator: ',',
      prefix: 'v1=',
      template: '{timestamp}.{body}',
      timestamp: { part: 't=' },
      tolerance_seconds: FIVE_MINUTES,
    },
    dedupe: [{ expression: '{{ $hook.body.id }}' }],
  },
  slack: {
    scheme: {
      ...HMAC_OF_BODY,
      header: 'x-slack-signature',
      prefix: 'v0=',
      template: 'v0:{timestamp}:{body}',
      timestamp: { header: 'x-slack-request-timestamp' },
      tolerance_seconds: FIVE_MINUTES,
    },
    // events have the one, commands the other
    dedupe: [{ expression: '{{ $hook.body.event_id }}' }, { expression: '{{ $hook.body.trigger_id }}' }],
    challenge: { field: 'type', equals: 'url_verification', echo: 'challenge' },
  },
  shopify: {
    scheme: { ...HMAC_OF_BODY, header: 'x-shopify-hmac-sha256', encoding: 'base64' },
    dedupe: [{ header: 'x-shopify-webhook-id' }],
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
  };
  const { header, algorithm, encoding, prefix, template, id_header, timestamp_header, tolerance_seconds } = stored;
  return {
    ...{ header, algorithm, encoding, prefix, template, id_header, tolerance_seconds },
    separator: ' ', // no encoding has blanks: where a sender gives one signature, it is the only part
    timestamp: timestamp_header === null ? null : { header: timestamp_header },
    key: 'text',
  };
}
