import { EgressError } from '@weft/egress';
import { LayerFailure } from '../../layer-module.js';

interface SmtpFault {
  readonly code?: string;
  readonly message?: string;
  readonly responseCode?: number;
  /** The SMTP command during which the error happened. */
  readonly command?: string;
}

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
      if (/certificate/i.test(message)) {
        const why = `the certificate of ${host} is not trusted (${message})`;
        return failure('connect_failed', `${why}: an operator can add its authority to EGRESS_CA`);
      }
      return failure('connect_failed', `the conversation with ${host} failed (${code})`);
    case 'ETLS':
      return failure('connect_failed', `no trusted TLS connection to ${host} could be made`);
    case 'EAUTH':
      return failure('bad_status', `${host} takes no login of the kinds that are known here`);
    case 'EENVELOPE':
    case 'EMESSAGE':
      return failure('invalid_args', `the mail for ${host} is not valid`);
    default:
      return failure('connect_failed', `the conversation with ${host} failed (${code ?? 'unknown'})`);
  }
}
