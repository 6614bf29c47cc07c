import { LINK_KINDS, linkSettingsShape, linkTestShape, type LinkKind } from '@weft/shapes';
import { RateLimitField, type RateLimitBody } from '../destinations/rate-limit.request.js';
import { bodyOf } from '../http/body-of.js';
import { ChoiceField, NameField, NameListField, NestedField, TextField, TextMapField } from '../http/fields.js';
import { ISO_TIME } from '../http/iso-time.js';
import { keyField } from '../http/resource-key.js';
import { PageQuery } from '../http/paging.js';
import { TextParam } from '../http/query-fields.js';

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
const ENDPOINT =
  /^(?:(?:https?|smtps?|imaps?|postgres(?:ql)?|mysql|mariadb):\/\/(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?(?:\/[^\s?#@]*)?|kafka:\/\/[\w.-]+:\d{1,5}(?:,[\w.-]+:\d{1,5}){0,9})$/i;
const endpoint = {
  description:
    'Where the service is: smtp(s)://host:port or imap(s)://host:port of a mail server, postgres://host:port/database or mysql://host:port/database, kafka://host:port,host:port of up to ten brokers, or the base address of an API. Not secret.',
  min: 1,
  max: 2_000,
  pattern: ENDPOINT,
  patternSays:
    'endpoint must be an address like https://api.example.com/v1, smtps://mail.example.com:465, imaps://mail.example.com:993, postgres://db.example.com:5432/shop, mysql://db.example.com:3306/shop or kafka://kafka.example.com:9092',
  optional: true,
  nullable: true,
  example: 'smtps://mail.example.com:465',
};

const PRINTABLE = { pattern: /^[\x20-\x7e]*$/, patternSays: '$property must be printable ASCII', optional: true };

/** Which fields belong to which kind is checked when the body is read (`readSettings`). */
class LinkSettingsBody extends bodyOf(linkSettingsShape) {}
class LinkTestBody extends bodyOf(linkTestShape) {}

const kind = { description: 'How requests show the credentials; default: bearer.', of: LINK_KINDS, optional: true };
const username = { description: 'Of `basic`; never shown again.', min: 1, max: 500, ...PRINTABLE };
const password = { description: 'Of `basic`; may be empty; never shown again.', max: 2_000, optional: true };
const clientSecret = {
  description: 'Of the client at the authorization server; never shown again.',
  min: 1,
  max: 4_000,
  ...PRINTABLE,
};
const secrets = {
  description:
    'Of `headers`: secrets under names of your own. Of `aws_sigv4`: access_key_id, secret_access_key, and session_token of keys that end. Never shown again.',
  maxEntries: 20,
  maxLength: 4_000,
  optional: true,
};
const settings = { description: 'What the kind needs besides its secrets. Not secret.', optional: true };
const test = {
  description: 'How to test the link: any 2xx is a success.',
  optional: true,
  nullable: true,
};

const key = keyField(
  'Your own name for it, unique in the company: layers and flow documents may name the link by it. null: none.',
  'support-mail',
);

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
  @TextMapField(secrets) readonly secrets?: Readonly<Record<string, string>>;
  @NestedField(LinkSettingsBody, settings) readonly settings?: LinkSettingsBody;
  @NestedField(LinkTestBody, test) readonly test?: LinkTestBody | null;
  @TextField(refreshToken) readonly refresh_token?: string | null;
  @TextField(expiry) readonly token_expiry?: string | null;
  @NameListField(scopes) readonly scopes?: string[];
  @RateLimitField() readonly rate_limit?: RateLimitBody | null;
  @TextField(key) readonly key?: string | null;
}

export class UpdateIntegrationBody extends LinkBody {
  @NameField({ ...name, optional: true }) readonly name?: string;
}

export class CreateIntegrationBody extends LinkBody {
  @TextField({ description: 'What it is a link to.', min: 1, max: 64, pattern: /^[\w.-]+$/, example: 'smtp' })
  readonly type: string;

  @NameField(name) readonly name: string;
}

export class ListIntegrationsQuery extends PageQuery {
  @TextParam('Exactly this key.')
  readonly key?: string;
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
