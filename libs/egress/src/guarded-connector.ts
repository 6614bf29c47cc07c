import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { isCallable, type AddressGuard } from './address-guard.js';
import { destinationBlocked } from './blocked-destination.js';
import { guardedLookup, resolveByOs, type ResolveHost } from './guarded-lookup.js';

export interface GuardedConnectorOptions {
  readonly guard: AddressGuard;
  readonly connectTimeoutMs: number;
  readonly resolve?: ResolveHost;
}

/**
 * Opens sockets only to addresses that the guard allows. undici's pools use it for each hop of each request: IP
 * literals are judged before the connection, names by all of their addresses during it.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { guard, connectTimeoutMs, resolve = resolveByOs } = options;
  const byPort = new Map<number, buildConnector.connector>();

  const connectorFor = (port: number): buildConnector.connector => {
    const known = byPort.get(port);
    if (known) return known;
    const lookup = guardedLookup(guard, resolve, port);
    const connector = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup });
    if (byPort.size >= MAX_PORTS_REMEMBERED) byPort.clear();
    byPort.set(port, connector);
    return connector;
  };

  return (target, callback) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
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

/** A connector holds a port's look-up and its TLS sessions; forgetting it only loses session resumption. */
const MAX_PORTS_REMEMBERED = 256;
