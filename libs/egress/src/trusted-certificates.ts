import { getCACertificates } from 'node:tls';

/** What peers' certificates are checked with: the authorities that Node trusts, and the operator's (`EGRESS_CA`, PEM). */
export function trustedCertificates(ca: string | null | undefined): readonly string[] | undefined {
  return ca ? [...getCACertificates('default'), ca] : undefined;
}
