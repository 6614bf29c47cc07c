import { EgressError } from '../egress-client.js';
import { asEgressError } from '../failure.js';

interface SmtpFault {
  readonly code?: string;
  readonly responseCode?: number;
  /** What was being said when it happened. */
  readonly command?: string;
}

/** Host, status and command alone: what servers say may repeat addresses and credentials. */
export function asMailError(error: unknown, host: string): EgressError {
  if (error instanceof EgressError) return error;
  const { code, responseCode, command } = (error ?? {}) as SmtpFault;
  const during = command === undefined || command === 'CONN' ? '' : ` to ${command}`;
  if (responseCode !== undefined && responseCode >= 400) {
    return new EgressError('bad_status', `${host} answered ${responseCode}${during}`, { cause: error });
  }
  switch (code) {
    case 'ETLS':
      return new EgressError('connect_failed', `no trusted TLS connection to ${host} could be made`, { cause: error });
    case 'EAUTH':
      return new EgressError('bad_status', `${host} takes no login of the kinds that are known here`, { cause: error });
    case 'EENVELOPE':
    case 'EMESSAGE':
      return new EgressError('invalid_args', `the mail for ${host} is not valid`, { cause: error });
    default:
      return asEgressError(error, host);
  }
}
