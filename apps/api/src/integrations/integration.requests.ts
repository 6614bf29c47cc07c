import { NameListField, TextField } from '../http/fields.js';
import { ISO_TIME } from '../http/iso-time.js';

const MAX_TOKEN = 16_384;
const VISIBLE = /^[\x21-\x7e]+$/;

const name = { description: 'What people call it.', min: 1, max: 200, example: 'Mail of the support team' };
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

export class CreateIntegrationBody {
  @TextField({ description: 'What it is a link to.', min: 1, max: 64, pattern: /^[\w.-]+$/, example: 'smtp' })
  readonly type: string;

  @TextField(name) readonly name: string;
  @TextField(endpoint) readonly endpoint?: string | null;
  @TextField(accessToken) readonly access_token: string;
  @TextField(refreshToken) readonly refresh_token?: string | null;
  @TextField(expiry) readonly token_expiry?: string | null;
  @NameListField(scopes) readonly scopes?: string[];
}

/**
 * Tokens change together: when a new access token comes without the other fields, those become null. The endpoint changes
 * only together with the access token: otherwise somebody who may change a link could have its token sent to themselves.
 */
export class UpdateIntegrationBody {
  @TextField({ ...name, optional: true }) readonly name?: string;
  @TextField(endpoint) readonly endpoint?: string | null;
  @TextField({ ...accessToken, optional: true }) readonly access_token?: string;
  @TextField(refreshToken) readonly refresh_token?: string | null;
  @TextField(expiry) readonly token_expiry?: string | null;
  @NameListField(scopes) readonly scopes?: string[];
}

export class ConnectBody {
  @TextField({ description: 'Id of the identity provider.', min: 1, max: 64, example: '06dqx3v8k2m7w0r5t9ya' })
  readonly provider: string;

  @TextField({
    description: 'Path on this site to go to in the end; by default /.',
    min: 1,
    max: 2_000,
    optional: true,
  })
  readonly returnTo?: string;
}
