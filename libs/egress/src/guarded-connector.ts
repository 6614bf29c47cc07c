import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { isCallable, type AddressGuard } from './address-guard.js';
import { destinationBlocked } from './blocked-destination.js';
import { guardedLookup, resolveByOs, type ResolveHost } from './guarded-lookup.js';
import { nearby, openRoute } from './route.js';
import type { EgressProxy } from './tunnel.js';

export interface GuardedConnectorOptions {
  readonly guard: AddressGuard;
  readonly connectTimeoutMs: number;
  readonly resolve?: ResolveHost;
  /** Null: every address is called directly. */
  readonly proxy?: EgressProxy | null;
  /** PEM; default: what Node trusts. */
  readonly ca?: readonly string[];
}

/**
 * Opens sockets only to addresses that the guard allows. undici's pools use it for each hop of each request: IP
 * literals are judged before the connection, names by all of their addresses during it.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { guard, connectTimeoutMs, resolve = resolveByOs, proxy, ca } = options;
  if (!proxy) return directConnector(options);
  const direct = directConnector({ ...options, guard: nearby(guard) });
  const withinTunnel = buildConnector({ timeout: connectTimeoutMs, allowH2: false, ...(ca && { ca: [...ca] }) });
  return (target, callback) => {
    const { hostname, protocol } = target;
    openRoute(hostname, portOf(target), connectTimeoutMs, { guard, resolve, proxy, ca }).then(
      (tunnel) => {
        if (!tunnel) direct(target, callback);
        else if (protocol === 'https:') withinTunnel({ ...target, httpSocket: tunnel }, callback);
        else callback(null, tunnel);
      },
      (error: Error) => callback(error, null),
    );
  };
}

function directConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { guard, connectTimeoutMs, resolve = resolveByOs, ca } = options;
  const byPort = new Map<number, buildConnector.connector>();

  const connectorFor = (port: number): buildConnector.connector => {
    const known = byPort.get(port);
    if (known) return known;
    const lookup = guardedLookup(guard, resolve, port);
    const connector = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup, ...(ca && { ca: [...ca] }) });
    if (byPort.size >= MAX_PORTS_REMEMBERED) byPort.clear();
    byPort.set(port, connector);
    return connector;
  };

  return (target, callback) => {
    const port = portOf(target);
    if (isIP(target.hostname) !== 0) {
      const verdict = guard.judge(target.hostname, port);
      if (!isCallable(verdict)) return void callback(destinationBlocked(target.hostname, port, verdict), null);
    }
    connectorFor(port)(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      const peer = socket.remoteAddress;
      const verdict = peer === undefined ? 'public' : guard.judge(peer, port);
      if (!isCallable(verdict)) {
        socket.destroy();
        return callback(destinationBlocked(target.hostname, port, verdict), null);
      }
      callback(null, socket);
    });
  };
}

function portOf({ port, protocol }: buildConnector.Options): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/** A connector holds a port's look-up and its TLS sessions; forgetting it only loses session resumption. */
const MAX_PORTS_REMEMBERED = 256;
