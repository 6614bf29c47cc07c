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

/** An address range, and optionally its one port. */
export interface EgressRange {
  readonly cidr: string;
  /** null = every port. */
  readonly port: number | null;
}

/** What the operator says about addresses. */
export interface EgressRules {
  /** Called although they would be refused (`EGRESS_ALLOW`). */
  readonly allow: readonly EgressRange[];
  /** Never called, whatever `allow` says (`EGRESS_DENY`); default: none. */
  readonly deny?: readonly EgressRange[];
  /** Whether public addresses of the networks that this machine is in are refused (`EGRESS_REFUSE_OWN_NETWORKS`); default: no. */
  readonly refuseOwnNetworks?: boolean;
  /** Default: the operating system's interfaces. */
  readonly interfaces?: ReadInterfaces;
}

/** `public`: anybody's to call. `opened`: refused but for the operator's word. `closed`: by the operator's word. */
export type AddressVerdict = 'public' | 'opened' | 'refused' | 'closed';

export interface AddressGuard {
  judge(address: string, port: number): AddressVerdict;
}

/** The only block of IPv6 that IANA gives out (RFC 4291 §2.4, RFC 3513): everything else is special or unassigned. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** They look public, but are answered by the host under a virtual machine, which tells what that machine may know. */
const PLATFORM: ReadonlySet<string> = new Set([
  '168.63.129.16', // Azure: wire server
  '192.80.8.124', // Equinix Metal: metadata
]);

/**
 * Judges addresses, never names: what a name means is only known when it is connected to.
 * Anything that cannot be read as an address is refused. Throws on a CIDR that cannot be read.
 */
export function createAddressGuard(rules: EgressRules): AddressGuard {
  const isAllowed = matcherOf(rules.allow);
  const isDenied = matcherOf(rules.deny ?? []);
  const machine = watchMachineAddresses(rules.interfaces);
  const isForAnybody = (address: Address): boolean =>
    isPublic(address) && !isPlatform(address) && !isOurs(machine, address, rules.refuseOwnNetworks ?? false);

  return {
    judge(text, port) {
      // ipaddr.js also reads 1.2.3 and 0x7f.1; the kernel is only ever given what isIP knows.
      if (isIP(text) === 0) return 'refused';
      // process() turns ::ffff:a.b.c.d into the IPv4 address that the kernel would connect to.
      const address = ipaddr.process(text);
      if (isDenied(address, port)) return 'closed';
      if (isForAnybody(address)) return 'public';
      return isAllowed(address, port) ? 'opened' : 'refused';
    },
  };
}

export function mayBeCalled(verdict: AddressVerdict): boolean {
  return verdict === 'public' || verdict === 'opened';
}

/** False for what is special, and for what is no address. */
export function isPublicAddress(text: string): boolean {
  return isIP(text) !== 0 && isPublic(ipaddr.process(text));
}

export function isPlatform(address: Address): boolean {
  return PLATFORM.has(address.toString());
}

function isOurs(machine: MachineAddresses, address: Address, withNetworks: boolean): boolean {
  return machine.has(address) || (withNetworks && machine.isBeside(address));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  // ipaddr.js calls ::a.b.c.d (IPv4-compatible) and unassigned blocks unicast.
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_V6);
}

/** `::ffff:a.b.c.d/120` is `a.b.c.d/24`: addresses are compared as what they mean. */
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
