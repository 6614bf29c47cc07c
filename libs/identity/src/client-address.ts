import ipaddr from 'ipaddr.js';

/**
 * The address of a request's client: the peer's address, unless the peer is a trusted proxy; then the last address in
 * `X-Forwarded-For` that is not a trusted proxy. What a client itself writes into the header is further left and is ignored.
 */
export class ClientAddress {
  private readonly trusted: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

  /** @param trustProxy CIDRs of trusted proxies; without any, the header is ignored */
  constructor(trustProxy: readonly string[]) {
    this.trusted = trustProxy.map((cidr) => ipaddr.parseCIDR(cidr));
  }

  /** @returns the address in its shortest form, as IPv4 when it is mapped into IPv6; `peer` unchanged when it is not an address */
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
 * The key by which attempts from an address are counted: for IPv6 the first 64 bits, because one customer has all addresses
 * of such a network. Text that is not an address is returned unchanged.
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
