import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address range, and optionally its one port, that the operator opens although the guard would refuse it. */
export interface EgressOpening {
  readonly cidr: string;
  /** null = every port. */
  readonly port: number | null;
}

/** `public`: anybody's to call. `opened`: refused but for the operator's word. */
export type AddressVerdict = 'public' | 'opened' | 'refused';

export interface AddressGuard {
  judge(address: string, port: number): AddressVerdict;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The only block of IPv6 that IANA gives out (RFC 4291 §2.4, RFC 3513): everything else is special or unassigned. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Judges addresses, never names: what a name means is only known when it is connected to.
 * Anything that cannot be read as an address is refused. Throws on a CIDR that cannot be read.
 */
export function createAddressGuard(openings: readonly EgressOpening[]): AddressGuard {
  const ranges = openings.map(({ cidr, port }) => ({ range: ipaddr.parseCIDR(cidr), port }));

  const isOpened = (address: Address, port: number): boolean =>
    ranges.some(
      ({ range, port: onlyPort }) =>
        (onlyPort === null || onlyPort === port) &&
        range[0].kind() === address.kind() &&
        (address as ipaddr.IPv4).match(range),
    );

  return {
    judge(text, port) {
      // ipaddr.js also reads 1.2.3 and 0x7f.1; the kernel is only ever given what isIP knows.
      if (isIP(text) === 0) return 'refused';
      // process() turns ::ffff:a.b.c.d into the IPv4 address that the kernel would connect to.
      const address = ipaddr.process(text);
      if (isPublic(address)) return 'public';
      return isOpened(address, port) ? 'opened' : 'refused';
    },
  };
}

/** False for what is special, and for what is no address. */
export function isPublicAddress(text: string): boolean {
  return isIP(text) !== 0 && isPublic(ipaddr.process(text));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  // ipaddr.js calls ::a.b.c.d (IPv4-compatible) and unassigned blocks unicast.
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_V6);
}
