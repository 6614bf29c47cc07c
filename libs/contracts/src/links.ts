/** How a request shows the credentials of an integration link: docs/integrations.md, kinds of links. */
export const LINK_KINDS = [
  'bearer',
  'header',
  'basic',
  'query',
  'hmac',
  'oauth2_client_credentials',
  'oauth2',
] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

export const RATE_PERIODS = ['second', 'minute', 'hour'] as const;

/** At most `limit` calls in each period. */
export interface RateLimit {
  readonly limit: number;
  readonly per: (typeof RATE_PERIODS)[number];
}

export const HMAC_ALGORITHMS = ['sha1', 'sha256', 'sha512'] as const;
export const HMAC_ENCODINGS = ['hex', 'base64', 'base64url'] as const;
export const CLIENT_AUTHS = ['basic', 'post'] as const;

/** What a kind needs besides its secrets. Everybody who may read the link sees it. */
export interface LinkSettings {
  /** Of `header`: its name; of `hmac`: the header with the signature. */
  readonly header?: string;
  /** Before the secret of `header`, or the signature of `hmac`, which may have `{timestamp}` in it. */
  readonly prefix?: string;
  /** Of `query`: the name in the address. */
  readonly parameter?: string;
  readonly algorithm?: (typeof HMAC_ALGORITHMS)[number];
  readonly encoding?: (typeof HMAC_ENCODINGS)[number];
  /** Of `hmac`: what is signed. */
  readonly template?: string;
  /** Of `hmac`: a header that is sent with the Unix seconds. */
  readonly timestamp_header?: string;
  readonly token_url?: string;
  readonly authorize_url?: string;
  readonly client_id?: string;
  /** How the client shows its secret to `token_url`. */
  readonly client_auth?: (typeof CLIENT_AUTHS)[number];
  readonly audience?: string;
}

/** A request that changes nothing, by which a link is tested. */
export interface LinkTest {
  readonly method: string;
  /** After the link's endpoint. */
  readonly path: string;
}
