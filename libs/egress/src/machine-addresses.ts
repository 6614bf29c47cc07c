import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import ipaddr from 'ipaddr.js';

export type ReadInterfaces = () => NodeJS.Dict<NetworkInterfaceInfo[]>;
export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>;

/** The current addresses of the machine's interfaces. */
export interface MachineAddresses {
  has(address: Address): boolean;
  /** Whether the address is in the network of one of the interfaces. */
  isInOwnNetwork(address: Address): boolean;
}

interface Seen {
  readonly own: ReadonlySet<string>;
  readonly networks: readonly AddressRange[];
}

/**
 * Addresses may appear while the process runs (a failover, a container's network); reading them for each call would be
 * expensive.
 */
const REFRESH_MS = 1_000;

/**
 * Reads the interfaces on demand, at most once a second; when that fails, the previous result is used. Throws when they
 * cannot be read at the start: otherwise their addresses would be callable unnoticed.
 */
export function watchMachineAddresses(
  read: ReadInterfaces = networkInterfaces,
  nowMs: () => number = () => performance.now(),
): MachineAddresses {
  let seen = firstSeen(read);
  let seenAtMs = nowMs();
  const look = (): Seen => {
    const now = nowMs();
    if (now - seenAtMs < REFRESH_MS) return seen;
    seenAtMs = now;
    try {
      seen = seenIn(read());
    } catch {
      // for example no file descriptors are left: the previous result is used
    }
    return seen;
  };
  return {
    has: (address) => look().own.has(address.toString()),
    isInOwnNetwork: (address) => look().networks.some((network) => isIn(network, address)),
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
