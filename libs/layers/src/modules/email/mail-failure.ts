import { EgressError } from '@weft/egress';
import { LayerFailure } from '../../layer-module.js';

interface SmtpFault {
  readonly code?: string;
  readonly message?: string;
  readonly responseCode?: number;
  /** The SMTP command during which the error happened. */
  readonly command?: string;
}

const HUNG_UP = 'hung up before the conversation was over';

/** Names only host, status and command: a server's message may repeat addresses and credentials. */
export function asMailFailure(error: unknown, host: string): LayerFailure {
  if (error instanceof LayerFailure) return error;
  const failure = (code: string, message: string) => new LayerFailure(code, message, undefined, { cause: error });
  if (error instanceof EgressError) return failure(error.code, error.message);
  const { code, message = '', responseCode, command } = (error ?? {}) as SmtpFault;
  if (responseCode !== undefined && responseCode >= 400) {
    const during = command === undefined || command === 'CONN' ? '' : ` to ${command}`;
    return failure('bad_status', `${host} answered ${responseCode}${during}`);
  }
  switch (code) {
    // the mail library replaces the code of an error of the socket; that of a certificate is left in Node's message
    case 'ESOCKET':
      if (message.includes('altnames'))
        return failure('connect_failed', `the certificate of ${host} is for another name`);
      if (message.includes('has expired'))
        return failure('connect_failed', `the certificate of ${host} has ended: its server needs a new one`);
      if (/certificate/i.test(message)) {
        const why = `the certificate of ${host} is not trusted (${message})`;
        return failure('connect_failed', `${why}: an operator can add its authority to EGRESS_CA`);
      }
      if (/ECONNRESET|EPIPE/.test(message)) return failure('connect_failed', `${host} ${HUNG_UP}`);
      return failure('connect_failed', `the conversation with ${host} failed (${code})`);
    case 'ECONNECTION':
      return failure('connect_failed', `${host} ${HUNG_UP}`);
    case 'ETIMEDOUT':
      return failure('timeout', `${host} stopped answering; is it a mail server, and is the port right?`);
    case 'EPROTOCOL':
      return failure('connect_failed', `${host} does not answer as a mail server does; is the port right?`);
    case 'ETLS':
      return failure('connect_failed', `${host} offers no encryption that can be used (STARTTLS)`);
    case 'ESTREAM':
      return failure('invalid_args', 'an attachment could not be read to its end');
    case 'EAUTH':
      return failure('bad_status', `${host} takes no login of the kinds that are known here`);
    case 'EENVELOPE':
    case 'EMESSAGE':
      if (message.includes('size')) return failure('invalid_args', `the mail is larger than ${host} takes`);
      return failure('invalid_args', `the mail for ${host} is not valid`);
    default:
      return failure('connect_failed', `the conversation with ${host} failed (${code ?? 'unknown'})`);
  }
}
