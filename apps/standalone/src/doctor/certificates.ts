import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { error, ok, warning, type Finding } from './finding.js';

const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

/** How long the client certificate is valid that the address of a store names: none of that store says it; empty where it names none. */
export function clientCertificate(check: string, uri: string, now = Date.now()): readonly Finding[] {
  const path = new URLSearchParams(uri.split('?')[1] ?? '').get('tlsCertificateKeyFile');
  if (path === null) return [];
  const { validTo } = new X509Certificate(readFileSync(path));
  const days = (Date.parse(validTo) - now) / DAY_MS;
  if (days < 0) return [error(check, `The certificate in ${path} has expired (${validTo}).`, 'Renew it.')];
  const says = `The certificate in ${path} is valid until ${validTo}.`;
  return [days < SOON_DAYS ? warning(check, says, 'Renew it.') : ok(check, says)];
}
