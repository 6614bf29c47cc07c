import { errors } from 'undici';
import { EgressError } from './egress-client.js';

/**
 * The caller's error of a failed exchange. The message has only the host and the error's code: messages of undici and
 * Node contain resolved addresses, which tenants must not learn; they stay in `cause` for the log.
 */
export function toEgressError(error: unknown, host: string): EgressError {
  if (error instanceof EgressError) return error;
  const code = codeOf(error);
  if (error instanceof errors.HTTPParserError) {
    const why = code === undefined ? '' : ` (${code})`;
    return new EgressError('connect_failed', `what ${host} answered is not valid HTTP${why}`, { cause: error });
  }
  switch (code) {
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new EgressError('output_too_large', `${host} sent more headers than are read`, { cause: error });
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
      return new EgressError('invalid_args', `the request to ${host} is not valid HTTP`, { cause: error });
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
      return new EgressError('cancelled', 'this process is closing its connections', { cause: error });
    case 'UND_ERR_CONNECT_TIMEOUT':
      return new EgressError('connect_failed', `${host} could not be connected to in time`, { cause: error });
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new EgressError('connect_failed', `the name of ${host} could not be resolved (${code})`, { cause: error });
    default:
      return new EgressError('connect_failed', `the connection to ${host} failed (${code ?? 'unknown'})`, {
        cause: error,
      });
  }
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}
