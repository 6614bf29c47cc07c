import { TimeLimit } from '@weft/concurrency';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createAddressGuard, isCallable, type AddressGuard, type EgressRules } from './address-guard.js';
import { destinationBlocked } from './blocked-destination.js';
import { EgressError } from './egress-client.js';
import { toEgressError } from './failure.js';
import { guardedLookup, resolveByOs, type ResolveHost } from './guarded-lookup.js';
import { nearby, openRoute } from './route.js';
import { trustedCertificates } from './trusted-certificates.js';
import type { EgressProxy } from './tunnel.js';

export interface EgressDialerOptions extends EgressRules {
  /** Through which public addresses are called; default: none. */
  readonly proxy?: EgressProxy | null;
  /** Certificates (PEM) that are trusted in addition to those that Node trusts; default: none. */
  readonly ca?: string | null;
  /** Default: the operating system's resolver. */
  readonly resolve?: ResolveHost;
}

export interface EgressTarget {
  /** A name or an address; an IPv6 address may be in brackets, as in URLs. */
  readonly host: string;
  readonly port: number;
  /**
   * TLS from the first byte; the certificate is checked against `host`. For STARTTLS set it to false and upgrade the
   * socket.
   */
  readonly tls: boolean;
  /** Resolving, connecting and the TLS handshake together, ms. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Connected sockets for protocols other than HTTP (SMTP), under the same guard as the client. */
export interface EgressDialer {
  /**
   * The caller owns the socket from then on, and sets its own time limits.
   *
   * @throws EgressError `destination_blocked`, `connect_failed`, `timeout`, `cancelled`, `invalid_args`
   */
  dial(target: EgressTarget): Promise<Socket>;
  /** What the certificate of a peer is checked with when its socket is upgraded (STARTTLS); undefined: what Node trusts. */
  readonly trusted?: readonly string[];
}

const HOST = /^[0-9A-Za-z._:-]{1,253}$/;

/** Throws on an entry of `allow` or `deny` that is not a CIDR. */
export function createEgressDialer(options: EgressDialerOptions): EgressDialer {
  const guard = createAddressGuard(options);
  const trusted = trustedCertificates(options.ca);
  const { resolve = resolveByOs, proxy } = options;
  const ways: Ways = { resolve, trusted, guard: proxy ? nearby(guard) : guard };
  return {
    trusted,
    async dial(given) {
      const target = { ...given, host: given.host.replace(/^\[(.*)\]$/, '$1') };
      assertTarget(target);
      const { host, port, timeoutMs, signal } = target;
      if (!proxy) return withLimits(target, (settle) => open(target, ways, settle));
      const begunAt = performance.now();
      const route = { guard, resolve, proxy, ca: trusted, signal };
      const tunnel = await openRoute(host, port, timeoutMs, route).catch((error: unknown) => {
        throw toEgressError(error, host);
      });
      if (signal?.aborted) tunnel?.destroy();
      const rest = { ...target, timeoutMs: Math.max(1, timeoutMs - (performance.now() - begunAt)) };
      return withLimits(rest, (settle) => (tunnel ? within(tunnel, rest, trusted, settle) : open(rest, ways, settle)));
    },
  };
}

interface Ways {
  readonly guard: AddressGuard;
  readonly resolve: ResolveHost;
  readonly trusted: readonly string[] | undefined;
}

type Settle = (error: Error | null) => void;

/** The connecting socket; `settle` is called when it is ready or has failed. */
function open({ host, port, tls }: EgressTarget, { guard, resolve, trusted }: Ways, settle: Settle): Socket {
  const verdict = isIP(host) === 0 ? 'public' : guard.judge(host, port);
  if (!isCallable(verdict)) throw destinationBlocked(host, port, verdict);
  const raw = connectTcp({ host, port, lookup: guardedLookup(guard, resolve, port) });
  raw.once('error', settle);
  raw.once('connect', () => {
    // the address that was connected to decides, whoever resolved the name
    const peer = guard.judge(raw.remoteAddress ?? '', port);
    if (!isCallable(peer)) raw.destroy(destinationBlocked(host, port, peer));
    else if (!tls) settle(null);
  });
  raw.setNoDelay(true);
  return tls ? secured(raw, host, trusted, settle) : raw;
}

/** Over a connection that the proxy made. */
function within(tunnel: Socket, { host, tls }: EgressTarget, trusted: Ways['trusted'], settle: Settle): Socket {
  tunnel.once('error', settle);
  if (tls) return secured(tunnel, host, trusted, settle);
  queueMicrotask(() => settle(null)); // after the caller has the socket
  return tunnel;
}

function secured(raw: Socket, host: string, trusted: Ways['trusted'], settle: Settle): Socket {
  const ca = trusted && { ca: [...trusted] };
  const secure = connectTls({ socket: raw, ...ca, ...(isIP(host) === 0 && { servername: host }), host });
  secure.once('error', settle);
  secure.once('secureConnect', () => settle(null));
  secure.once('close', () => raw.destroy());
  return secure;
}

function withLimits(target: EgressTarget, begin: (settle: Settle) => Socket): Promise<Socket> {
  const { host, timeoutMs, signal } = target;
  return new Promise((resolve, reject) => {
    let socket: Socket | undefined;
    let isSettled = false;
    const settle: Settle = (error) => {
      if (isSettled) return;
      isSettled = true;
      limit.end();
      signal?.removeEventListener('abort', onAbort);
      if (socket && !error) {
        socket.removeListener('error', settle);
        resolve(socket);
        return;
      }
      socket?.on('error', () => undefined); // the caller has its error already
      socket?.destroy();
      reject(toEgressError(error, host));
    };
    const onAbort = (): void => settle(new EgressError('cancelled', `connecting to ${host} was cancelled`));
    const limit = new TimeLimit(timeoutMs, () =>
      settle(new EgressError('timeout', `${host} could not be connected to within ${timeoutMs} ms`)),
    );
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      socket = begin(settle);
    } catch (error) {
      settle(toEgressError(error, host));
    }
  });
}

function assertTarget({ host, port }: EgressTarget): void {
  if (!HOST.test(host)) throw new EgressError('invalid_args', 'the host is not a name or an address');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new EgressError('invalid_args', `the port of ${host} is not one from 1 to 65535`);
  }
}
