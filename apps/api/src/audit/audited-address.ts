import { createHash } from 'node:crypto';

const DIGEST_CHARS = 16;

/**
 * An address as the audit log has it: its origin, and a digest that differs for two addresses. Path and query of a
 * receiver are often its credential (Slack, Discord, Teams), and more people read the log than the address.
 */
export function auditedAddress(address: string | null | undefined): string | null {
  if (address === null || address === undefined) return null;
  const url = URL.parse(address);
  const digest = createHash('sha256').update(address).digest('hex').slice(0, DIGEST_CHARS);
  // a scheme that is not of the web has no origin
  const origin = url ? `${url.protocol}//${url.host}` : '';
  const isWhole = address === origin || address === `${origin}/`;
  return isWhole ? origin : `${origin}/#${digest}`;
}
