import { sayWhy } from '@weft/observability';
import { error, type Finding } from './finding.js';

const OF_TLS = /certificate|TLS/;
const ADVICE_ON_TLS =
  'docs/deploy/troubleshooting.md#stores says what each code means: renew the certificate, or correct tlsCAFile, tlsCertificateKeyFile or the name in the address.';
/** What a server that asks for a client certificate does, and one that is spoken to without TLS. */
const CLOSED = /connection (closed|failed \((ECONNRESET|EPIPE)\))$/;

export interface Unreached {
  /** The store and its address. */
  readonly where: string;
  readonly cause: unknown;
  /** Whether its address asks for TLS. */
  readonly hasTls: boolean;
  /** What to do where the connection does not fail by TLS. */
  readonly advice: string;
  /** What does not work meanwhile. */
  readonly until: string;
}

/** A store that cannot be connected to. */
export function unreached(check: string, { where, cause, hasTls, advice, until }: Unreached): Finding {
  const why = sayWhy(cause).replace(/\.$/, '');
  const closedBy = hasTls
    ? ': a server does this that asks for a client certificate and gets none that it accepts'
    : ': a port that takes TLS does this';
  const isOfTls = OF_TLS.test(why) || (hasTls && CLOSED.test(why));
  return error(
    check,
    `${where}: ${why}${CLOSED.test(why) ? closedBy : ''}.`,
    `${isOfTls ? ADVICE_ON_TLS : advice} ${until}`,
  );
}
