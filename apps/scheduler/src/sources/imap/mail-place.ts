import type { Connection } from '@weft/layers';
import type { SourceGiven } from '@weft/shapes';
import { SourceFault } from '../source.js';
import type { MailLogin, MailPlace } from './mail-folder.js';

const PORTS: Readonly<Record<string, number>> = { 'imap:': 143, 'imaps:': 993 };
const TOKENS: ReadonlySet<string> = new Set(['bearer', 'oauth2', 'oauth2_client_credentials']);

/** Where the mails are, and how the server is shown who asks. @throws SourceFault */
export function placeOf(link: Connection, { folder = 'INBOX', user }: Pick<SourceGiven, 'folder' | 'user'>): MailPlace {
  const url = URL.parse(link.endpoint ?? '');
  const port = url ? PORTS[url.protocol] : undefined;
  if (!url || port === undefined || url.hostname === '') {
    throw unusable('its endpoint is not an address like imaps://mail.example.com:993');
  }
  const secure = url.protocol === 'imaps:';
  return { host: url.hostname, port: Number(url.port) || port, secure, folder, login: loginOf(link, user) };
}

function loginOf({ kind = 'bearer', secret }: Connection, user: string | undefined): MailLogin {
  if (kind === 'basic') {
    const colon = secret.indexOf(':');
    return { user: secret.slice(0, colon), pass: secret.slice(colon + 1) };
  }
  if (!TOKENS.has(kind))
    throw unusable('a mail server asks for a user and a password (basic), or for a token (OAuth 2)');
  if (user !== undefined) return { user, accessToken: secret };
  throw unusable('it has a token, and the source says of no user whose it is');
}

function unusable(why: string): SourceFault {
  return new SourceFault('integration_unusable', `The link of the source cannot be used: ${why}.`);
}
