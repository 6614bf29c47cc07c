import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isPlatformAddress, isCallable, type AddressGuard, type AddressVerdict } from './address-guard.js';
import { EgressError } from './egress-client.js';

/**
 * Ranges that no operator has a reason to allow: link-local (it contains cloud metadata), multicast, broadcast,
 * unspecified and reserved addresses.
 */
const NEVER_ALLOWED: ReadonlySet<string> = new Set(['linkLocal', 'multicast', 'broadcast', 'unspecified', 'reserved']);

/** @param cidr a range of which an operator has no reason to allow any address */
export function isNeverAllowed(cidr: string): boolean {
  const [address] = ipaddr.parseCIDR(cidr);
  return NEVER_ALLOWED.has(address.range()) || isPlatformAddress(address);
}

export function destinationBlocked(host: string, port: number, verdict: AddressVerdict = 'refused'): EgressError {
  return new EgressError('destination_blocked', blockedMessage(host, port, verdict));
}

/**
 * Says what is blocked and how an operator allows it. For a name it leaves out the address, which would reveal to a
 * tenant what the internal name server knows.
 */
function blockedMessage(host: string, port: number, verdict: AddressVerdict): string {
  const isName = isIP(host) === 0;
  const what = isName
    ? `${host} leads to an address that may not be called from here`
    : `${host} is an address that may not be called from here`;
  if (verdict === 'closed') return `${what}. An operator closed it with EGRESS_DENY`;
  const opening = allowEntryOf(host, port);
  return opening === null ? what : `${what}. An operator opens it with EGRESS_ALLOW=${opening}`;
}

/** An entry of `EGRESS_ALLOW`. */
function allowEntryOf(host: string, port: number): string | null {
  if (isIP(host) === 0) return isLocalName(host) ? `127.0.0.1/32:${port}` : `<its address>/32:${port}`;
  const address = ipaddr.process(host);
  if (NEVER_ALLOWED.has(address.range()) || isPlatformAddress(address)) return null;
  return address.kind() === 'ipv4' ? `${address.toString()}/32:${port}` : `[${address.toString()}/128]:${port}`;
}

/**
 * Why an address in a URL cannot be called, as far as that is known without a name server. Also takes a text with
 * expressions, if host and port precede the first of them.
 */
export function refusalOfUrl(text: string, guard: AddressGuard): string | null {
  // blanks at the end are part of the match: a lookahead that skips them takes the square of their number
  const written = /^\s*https?:\/\/[^/?#{]+(?=[/?#]|$)/i.exec(text)?.[0];
  if (written === undefined || !URL.canParse(written)) return null;
  const { hostname, port: given, protocol } = new URL(written);
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const port = Number(given) || (protocol === 'https:' ? 443 : 80);
  const addresses = isIP(host) !== 0 ? [host] : isLocalName(host) ? ['127.0.0.1', '::1'] : [];
  const verdicts = addresses.map((each) => guard.judge(each, port));
  const verdict = verdicts[0];
  return verdict === undefined || verdicts.some(isCallable) ? null : blockedMessage(host, port, verdict);
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
