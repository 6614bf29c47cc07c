import {
  CLIENT_AUTHS,
  HMAC_ALGORITHMS,
  HMAC_ENCODINGS,
  LINK_KINDS,
  type LinkKind,
  type LinkSettings,
  type LinkTest,
} from '@weft/contracts';
import { RateLimitField, type RateLimitBody } from '../destinations/rate-limit.request.js';
import { ChoiceField, NameField, NameListField, NestedField, TextField } from '../http/fields.js';
import { ISO_TIME } from '../http/iso-time.js';

const MAX_TOKEN = 16_384;
const VISIBLE = /^[\x21-\x7e]+$/;

const name = { description: 'What people call it.', example: 'Mail of the support team' };
const accessToken = {
  description:
    'Token or API key; of a mail server user:password; of a chat the address of its incoming webhook. Never shown again.',
  min: 1,
  max: MAX_TOKEN,
  pattern: VISIBLE,
  patternSays: 'access_token must be visible characters without spaces',
  example: 'mailer:secret',
};
const refreshToken = {
  description: 'Where type is the id of an identity provider, the access token is renewed by it there.',
  min: 1,
  max: MAX_TOKEN,
  pattern: VISIBLE,
  patternSays: 'refresh_token must be visible characters without spaces',
  optional: true,
  nullable: true,
};
const expiry = {
  description: 'When the access token ends, a time in ISO 8601; null: not known.',
  max: 40,
  pattern: ISO_TIME,
  patternSays: 'token_expiry must be a time in ISO 8601 with its zone',
  optional: true,
  nullable: true,
};
const scopes = { description: 'What the token was given for.', max: 100, pattern: VISIBLE, optional: true };

/** Without user name, password and fragment, because everybody who may read the link sees the URL. */
const ENDPOINT = /^(?:https?|smtps?):\/\/(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?(?:\/[^\s?#@]*)?$/i;
const endpoint = {
  description: 'Where the service is: smtp(s)://host:port of a mail server, or the base address of an API. Not secret.',
  min: 1,
  max: 2_000,
  pattern: ENDPOINT,
  patternSays: 'endpoint must be an address like https://api.example.com/v1 or smtps://mail.example.com:465',
  optional: true,
  nullable: true,
  example: 'smtps://mail.example.com:465',
};

const HEADER = {
  min: 1,
  max: 100,
  pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
  patternSays: '$property must be the name of a header',
  optional: true,
};
const PRINTABLE = { pattern: /^[\x20-\x7e]*$/, patternSays: '$property must be printable ASCII', optional: true };
const ADDRESS = { min: 1, max: 2_000, pattern: VISIBLE, patternSays: '$property must be an address', optional: true };

/** Which fields belong to which kind is checked when the body is read (`readSettings`). */
export class LinkSettingsBody implements LinkSettings {
  @TextField({ description: 'Of `header`: its name. Of `hmac`: the header with the signature.', ...HEADER })
  readonly header?: string;

  @TextField({
    description: 'Before the secret or the signature; with `{timestamp}` for `hmac`.',
    max: 100,
    ...PRINTABLE,
  })
  readonly prefix?: string;

  @TextField({ description: 'Of `query`: the name in the address.', min: 1, max: 100, ...PRINTABLE })
  readonly parameter?: string;

  @ChoiceField({ description: 'Of `hmac`; default: sha256.', of: HMAC_ALGORITHMS, optional: true })
  readonly algorithm?: (typeof HMAC_ALGORITHMS)[number];

  @ChoiceField({ description: 'Of the signature of `hmac`; default: hex.', of: HMAC_ENCODINGS, optional: true })
  readonly encoding?: (typeof HMAC_ENCODINGS)[number];

  @TextField({
    description:
      'Of `hmac`: what is signed, with `{body}`, `{timestamp}`, `{method}`, `{path}`, `{host}`, `{id}`; default: `{body}`.',
    min: 1,
    max: 500,
    optional: true,
  })
  readonly template?: string;

  @TextField({ description: 'Of `hmac`: a header that is sent with the Unix seconds.', ...HEADER })
  readonly timestamp_header?: string;

  @TextField({ description: 'Of `oauth2` and `oauth2_client_credentials`: where tokens are.', ...ADDRESS })
  readonly token_url?: string;

  @TextField({ description: 'Of `oauth2`: where somebody consents.', ...ADDRESS })
  readonly authorize_url?: string;

  @TextField({ description: 'Of the client at the authorization server.', min: 1, max: 500, ...PRINTABLE })
  readonly client_id?: string;

  @ChoiceField({ description: 'How the client shows its secret; default: basic.', of: CLIENT_AUTHS, optional: true })
  readonly client_auth?: (typeof CLIENT_AUTHS)[number];

  @TextField({
    description: 'Sent with requests for tokens, where the server asks for it.',
    min: 1,
    max: 500,
    ...PRINTABLE,
  })
  readonly audience?: string;
}

export class LinkTestBody implements LinkTest {
  @ChoiceField({ description: 'Of a request that changes nothing.', of: ['GET', 'HEAD', 'POST', 'OPTIONS'] })
  readonly method: string;

  @TextField({
    description: 'After the endpoint.',
    min: 1,
    max: 1_000,
    pattern: /^\/[\x21\x22\x24-\x7e]*$/,
    patternSays: 'path must begin with / and have no spaces and no #',
    example: '/me',
  })
  readonly path: string;
}

const kind = { description: 'How requests show the credentials; default: bearer.', of: LINK_KINDS, optional: true };
const username = { description: 'Of `basic`; never shown again.', min: 1, max: 500, ...PRINTABLE };
const password = { description: 'Of `basic`; may be empty; never shown again.', max: 2_000, optional: true };
const clientSecret = {
  description: 'Of the client at the authorization server; never shown again.',
  min: 1,
  max: 4_000,
  ...PRINTABLE,
};
const settings = { description: 'What the kind needs besides its secrets. Not secret.', optional: true };
const test = {
  description: 'How to test the link: any 2xx is a success.',
  optional: true,
  nullable: true,
};

/**
 * Secrets change together: when new ones come without the other fields of tokens, those become null. Kind, settings and endpoint
 * change only together with the secrets: otherwise somebody who may change a link could have them sent to themselves.
 */
class LinkBody {
  @ChoiceField(kind) readonly kind?: LinkKind;
  @TextField(endpoint) readonly endpoint?: string | null;
  @TextField({ ...accessToken, optional: true }) readonly access_token?: string;
  @TextField(username) readonly username?: string;
  @TextField(password) readonly password?: string;
  @TextField(clientSecret) readonly client_secret?: string;
  @NestedField(LinkSettingsBody, settings) readonly settings?: LinkSettingsBody;
  @NestedField(LinkTestBody, test) readonly test?: LinkTestBody | null;
  @TextField(refreshToken) readonly refresh_token?: string | null;
  @TextField(expiry) readonly token_expiry?: string | null;
  @NameListField(scopes) readonly scopes?: string[];
  @RateLimitField() readonly rate_limit?: RateLimitBody | null;
}

export class UpdateIntegrationBody extends LinkBody {
  @NameField({ ...name, optional: true }) readonly name?: string;
}

export class CreateIntegrationBody extends LinkBody {
  @TextField({ description: 'What it is a link to.', min: 1, max: 64, pattern: /^[\w.-]+$/, example: 'smtp' })
  readonly type: string;

  @NameField(name) readonly name: string;
}

export class ConnectBody {
  @TextField({
    description: 'Id of the identity provider.',
    min: 1,
    max: 64,
    optional: true,
    example: '06dqx3v8k2m7w0r5t9ya',
  })
  readonly provider?: string;

  @TextField({
    description: 'Instead of a provider: id of a link of the kind `oauth2`.',
    min: 1,
    max: 64,
    optional: true,
  })
  readonly integration_id?: string;

  @TextField({
    description: 'Path on this site to go to in the end; by default /.',
    min: 1,
    max: 2_000,
    optional: true,
  })
  readonly returnTo?: string;
}
