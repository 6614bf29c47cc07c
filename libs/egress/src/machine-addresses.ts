import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import ipaddr from 'ipaddr.js';

export type ReadInterfaces = () => NodeJS.Dict<NetworkInterfaceInfo[]>;
export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>;

/** What the machine's interfaces have now. */
export interface MachineAddresses {
  has(address: Address): boolean;
  /** Whether a neighbour: in the network of one of the interfaces. */
  isBeside(address: Address): boolean;
}

interface Seen {
  readonly own: ReadonlySet<string>;
  readonly networks: readonly AddressRange[];
}

/** An address may come while the process runs (a failover, a container's network); asking the system for each call costs. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Looks at the interfaces when it is asked, at most once a second; where that fails, what was seen before counts.
 * Throws when they cannot be read at the beginning: nobody would notice that their addresses are open.
 */
export function watchMachineAddresses(
  read: ReadInterfaces = networkInterfaces,
  nowMs: () => number = () => performance.now(),
): MachineAddresses {
  let seen = firstSeen(read);
  let seenAtMs = nowMs();
  const look = (): Seen => {
    const now = nowMs();
    if (now - seenAtMs < LOOK_AGAIN_MS) return seen;
    seenAtMs = now;
    try {
      seen = seenIn(read());
    } catch {
      // No descriptors are left, for instance: what is called now is judged by what was there a moment ago.
    }
    return seen;
  };
  return {
    has: (address) => look().own.has(address.toString()),
    isBeside: (address) => look().networks.some((network) => isIn(network, address)),
  };
}

export function isIn(range: AddressRange, address: Address): boolean {
  return range[0].kind() === address.kind() && (address as ipaddr.IPv4).match(range);
}

function firstSeen(read: ReadInterfaces): Seen {
  try {
    return seenIn(read());
  } catch (cause) {
    throw new Error(
      "the addresses of this machine cannot be read; let the process open netlink sockets (in systemd's RestrictAddressFamilies: AF_NETLINK)",
      { cause },
    );
  }
}

function seenIn(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): Seen {
  const all = Object.values(interfaces).flatMap((each) => each ?? []);
  return {
    own: new Set(all.map(({ address }) => ipaddr.process(address).toString())),
    networks: all.flatMap(({ cidr }) => (cidr === null ? [] : [ipaddr.parseCIDR(cidr)])),
  };
}
