import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import {
  isIn,
  watchMachineAddresses,
  type Address,
  type AddressRange,
  type MachineAddresses,
  type ReadInterfaces,
} from './machine-addresses.js';

/** An address range, optionally limited to one port. */
export interface EgressRange {
  readonly cidr: string;
  /** null: every port. */
  readonly port: number | null;
}

/** The operator's rules for addresses. */
export interface EgressRules {
  /** Callable although they would be refused (`EGRESS_ALLOW`). */
  readonly allow: readonly EgressRange[];
  /** Never callable, whatever `allow` contains (`EGRESS_DENY`); default: none. */
  readonly deny?: readonly EgressRange[];
  /** Whether public addresses in the machine's own networks are refused (`EGRESS_REFUSE_OWN_NETWORKS`); default: no. */
  readonly refuseOwnNetworks?: boolean;
  /** Default: the operating system's interfaces. */
  readonly interfaces?: ReadInterfaces;
}

/**
 * `public`: callable. `opened`: callable because the operator allows it. `closed`: refused because the operator denies
 * it.
 */
export type AddressVerdict = 'public' | 'opened' | 'refused' | 'closed';

export interface AddressGuard {
  judge(address: string, port: number): AddressVerdict;
}

/**
 * The only block of IPv6 that IANA assigns addresses from (RFC 4291 §2.4, RFC 3513): everything else is special or
 * unassigned.
 */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** These look public, but the host of a virtual machine answers them, with what only that machine may know. */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set([
  '168.63.129.16', // Azure: wire server
  '192.80.8.124', // Equinix Metal: metadata
]);

/**
 * Judges addresses, never names: which address a name means is only known when it is connected to. A text that is not
 * an address is refused. Throws on an invalid CIDR.
 */
export function createAddressGuard(rules: EgressRules): AddressGuard {
  const isAllowed = matcherOf(rules.allow);
  const isDenied = matcherOf(rules.deny ?? []);
  const machine = watchMachineAddresses(rules.interfaces);
  const isForAnybody = (address: Address): boolean =>
    isPublic(address) &&
    !isPlatformAddress(address) &&
    !isMachineAddress(machine, address, rules.refuseOwnNetworks ?? false);

  return {
    judge(text, port) {
      // ipaddr.js also reads 1.2.3 and 0x7f.1; the kernel only gets what isIP accepts
      if (isIP(text) === 0) return 'refused';
      // process() turns ::ffff:a.b.c.d into the IPv4 address that the kernel would connect to
      const address = ipaddr.process(text);
      if (isDenied(address, port)) return 'closed';
      if (isForAnybody(address)) return 'public';
      return isAllowed(address, port) ? 'opened' : 'refused';
    },
  };
}

export function isCallable(verdict: AddressVerdict): boolean {
  return verdict === 'public' || verdict === 'opened';
}

/** False for special addresses, and for texts that are not addresses. */
export function isPublicAddress(text: string): boolean {
  return isIP(text) !== 0 && isPublic(ipaddr.process(text));
}

export function isPlatformAddress(address: Address): boolean {
  return PLATFORM_ADDRESSES.has(address.toString());
}

function isMachineAddress(machine: MachineAddresses, address: Address, withNetworks: boolean): boolean {
  return machine.has(address) || (withNetworks && machine.isInOwnNetwork(address));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  // ipaddr.js classifies ::a.b.c.d (IPv4-compatible) and unassigned blocks as unicast
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_V6);
}

/** `::ffff:a.b.c.d/120` becomes `a.b.c.d/24`: addresses are compared in the form in which they are connected to. */
function asRange(cidr: string): AddressRange {
  const range = ipaddr.parseCIDR(cidr);
  const [address, bits] = range;
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [address.toIPv4Address(), bits - 96] : range;
}

function matcherOf(given: readonly EgressRange[]): (address: Address, port: number) => boolean {
  const ranges = given.map(({ cidr, port }) => ({ range: asRange(cidr), port }));
  return (address, port) =>
    ranges.some(({ range, port: onlyPort }) => (onlyPort === null || onlyPort === port) && isIn(range, address));
}
