import { sayWhy } from '@weft/observability';
import { error, type Finding } from './finding.js';

/** What is wrong with the way to a store, and not with its address or the store. */
const OF_TLS = /certificate|TLS/;
const ADVICE_ON_TLS =
  'docs/deploy/troubleshooting.md#stores says what each code means: renew the certificate, or correct tlsCAFile, tlsCertificateKeyFile or the name in the address.';

/**
 * A store that cannot be connected to.
 *
 * @param where the store and its address
 * @param advice where the connection does not fail by TLS
 * @param until what does not work meanwhile
 */
export function unreached(check: string, where: string, cause: unknown, advice: string, until: string): Finding {
  const why = sayWhy(cause);
  return error(check, `${where}: ${why}.`, `${OF_TLS.test(why) ? ADVICE_ON_TLS : advice} ${until}`);
}
