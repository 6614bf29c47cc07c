import ipaddr from 'ipaddr.js';

/**
 * Where a request came from. The peer's address, unless the peer is one of our proxies: then the last address in
 * `X-Forwarded-For` that is not one of them. What a client writes into the header itself stands further left and never counts.
 */
export class ClientAddress {
  private readonly trusted: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

  /** @param trustProxy CIDRs; none: the header counts for nothing */
  constructor(trustProxy: readonly string[]) {
    this.trusted = trustProxy.map((cidr) => ipaddr.parseCIDR(cidr));
  }

  /** @returns the address in its shortest form, IPv4 also where it came mapped into IPv6; `peer` as it is when it is none */
  of(peer: string, forwardedFor: string | readonly string[] | undefined): string {
    let address = parse(peer);
    if (!address) return peer;
    if (this.trusted.length === 0 || forwardedFor === undefined) return address.toString();
    const hops = String(forwardedFor).split(',').reverse();
    for (const hop of hops) {
      if (!this.isTrusted(address)) break;
      const before = parse(hop.trim());
      if (!before) break;
      address = before;
    }
    return address.toString();
  }

  private isTrusted(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return this.trusted.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits));
  }
}

/**
 * What attempts from an address are counted by: of IPv6 its first 64 bits, since a customer has all addresses of such a network.
 * What is no address is itself.
 */
export function networkOf(address: string): string {
  const parsed = parse(address);
  if (parsed === undefined) return address;
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, NETWORK_PARTS), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}

/** Of 16 bits. */
const NETWORK_PARTS = 4;

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}
