import { EgressError } from '@weft/egress';
import { LayerFailure } from '../layer-module.js';

interface SmtpFault {
  readonly code?: string;
  readonly responseCode?: number;
  /** The SMTP command during which the error happened. */
  readonly command?: string;
}

/** Names only host, status and command: a server's message may repeat addresses and credentials. */
export function asMailFailure(error: unknown, host: string): LayerFailure {
  if (error instanceof LayerFailure) return error;
  const failure = (code: string, message: string) => new LayerFailure(code, message, undefined, { cause: error });
  if (error instanceof EgressError) return failure(error.code, error.message);
  const { code, responseCode, command } = (error ?? {}) as SmtpFault;
  if (responseCode !== undefined && responseCode >= 400) {
    const during = command === undefined || command === 'CONN' ? '' : ` to ${command}`;
    return failure('bad_status', `${host} answered ${responseCode}${during}`);
  }
  switch (code) {
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
