import { EgressError } from '@weft/egress';
import { SourceFault } from '../source.js';
import type { MailPlace } from './mail-folder.js';

interface Fault {
  readonly code?: string;
  readonly message?: string;
  readonly authenticationFailed?: boolean;
  readonly tlsFailed?: boolean;
  readonly mailboxMissing?: boolean;
  readonly responseStatus?: string;
}

const TOO_LARGE: ReadonlySet<string> = new Set([
  'LiteralTooLarge',
  'ResponseTooLarge',
  'LineTooLarge',
  'TooManyTokens',
]);

/**
 * Names only the host and what was wrong: what a server says may repeat addresses and credentials.
 *
 * @param timeoutMs how long the conversation was allowed to take, when that is why it ended
 */
export function asImapFault(error: unknown, { host, folder }: MailPlace, timeoutMs: number | null): SourceFault {
  if (error instanceof SourceFault) return error;
  const fault = (code: string, message: string) => new SourceFault(code, message, { cause: error });
  if (timeoutMs !== null) return fault('timeout', `${host} took longer than ${timeoutMs} ms.`);
  if (error instanceof EgressError) return fault(error.code, `${error.message}.`);
  const { code = '', message = '', authenticationFailed, tlsFailed, mailboxMissing, responseStatus } = error as Fault;
  if (authenticationFailed) {
    return fault('unauthenticated', `${host} refused the login: check the user and the password or token of the link.`);
  }
  if (tlsFailed) {
    const why = /altnames/i.test(message)
      ? 'the certificate of it is for another name'
      : message.includes('has expired')
        ? 'its certificate has ended'
        : 'its certificate is not trusted';
    return fault('connect_failed', `${host} offers no encryption that can be used (STARTTLS), or ${why}.`);
  }
  if (mailboxMissing) return fault('not_found', `${host} has no folder "${folder}" for this user.`);
  if (TOO_LARGE.has(code)) return fault('answer_too_large', `${host} sent more than a mail server may send at once.`);
  if (['GREETING_TIMEOUT', 'CONNECT_TIMEOUT', 'ETIMEOUT'].includes(code)) {
    return fault('timeout', `${host} stopped answering: is it a mail server, and is the port right?`);
  }
  if (responseStatus === 'NO' || responseStatus === 'BAD') {
    return fault('bad_status', `${host} refused to open or read the folder "${folder}".`);
  }
  return fault('connect_failed', `The conversation with ${host} failed (${code || 'it hung up'}).`);
}
