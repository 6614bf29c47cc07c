import type { Mongo } from '@weft/store';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { error, ok, warning, worstOf, type Finding } from './finding.js';

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
/** From here on it is an error, of which an alert tells (WeftDoctorFails). */
const AT_ONCE_DAYS = 3;
const WITHIN_MS = 5_000;

/** How long the client certificate is valid that the address of a store names: none of that store says it; empty where it names none. */
export function clientCertificate(check: string, uri: string): readonly Finding[] {
  const path = new URLSearchParams(uri.split('?')[1] ?? '').get('tlsCertificateKeyFile');
  return path === null ? [] : [validity(check, `in ${path}`, new X509Certificate(readFileSync(path)).validTo)];
}

/** How long the certificate is valid that the other end of a connection has shown; empty without TLS. */
export function shownOn(check: string, of: string, connection: object): readonly Finding[] {
  if (!('getPeerCertificate' in connection)) return [];
  const { valid_to: until } = (connection as TLSSocket).getPeerCertificate();
  return until === undefined ? [] : [validity(check, of, until)];
}

/** The same of each member of the set, over connections of its own: the driver gives none. What cannot be reached others name. */
export async function certificatesOfMongo(mongo: Mongo): Promise<readonly Finding[]> {
  const { tls, ca, cert, key } = mongo.connection.getClient().options;
  if (!tls) return [];
  const { hosts = [], passives = [] } = await mongo.db.command({ hello: 1 });
  const members = ([hosts, passives].flat() as string[]).map(async (address) => {
    const { hostname: host, port } = new URL(`mongodb://${address}`);
    const servername = isIP(host) === 0 ? { servername: host } : {};
    // the driver has judged it; here it is only read
    const connection = connect({ host, port: Number(port), ...servername, ca, cert, key, rejectUnauthorized: false });
    try {
      await once(connection, 'secureConnect', { signal: AbortSignal.timeout(WITHIN_MS) });
      return shownOn('mongodb.certificate', `of ${address}`, connection);
    } catch {
      return [];
    } finally {
      connection.destroy();
    }
  });
  return worstOf(await Promise.all(members));
}

/** @param of whose it is, after "The certificate" @param until as certificates have it */
export function validity(check: string, of: string, until: string, now = Date.now()): Finding {
  const days = (Date.parse(until) - now) / DAY_MS;
  if (days < 0) return error(check, `The certificate ${of} has expired (${until}).`, 'Renew it.');
  const says = `The certificate ${of} is valid until ${until}.`;
  if (days < AT_ONCE_DAYS) return error(check, says, 'Renew it now.');
  return days < SOON_DAYS ? warning(check, says, 'Renew it.') : ok(check, says);
}
