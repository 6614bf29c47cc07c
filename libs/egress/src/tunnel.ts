import { TimeLimit } from '@weft/concurrency';
import { once } from 'node:events';
import { request as overTcp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as overTls } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { EgressError } from './egress-client.js';

/** The operator's proxy, through which public addresses are called (`EGRESS_PROXY`). */
export interface EgressProxy {
  /** `http://` or `https://`, with user and password if it asks for them. */
  readonly url: string;
  /**
   * What the proxy is asked to connect to: the address that was judged here, or the name, which it resolves again. With names, the
   * proxy itself must refuse private addresses (`EGRESS_PROXY_TARGET`).
   */
  readonly target: 'address' | 'name';
}

export interface TunnelEnd {
  readonly host: string;
  /** One that the guard allows. */
  readonly address: string;
  readonly port: number;
}

export interface TunnelOptions {
  readonly proxy: EgressProxy;
  /** PEM, of the certificates that an `https://` proxy may have. */
  readonly ca?: readonly string[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const NEEDS_CREDENTIALS = 407;

/**
 * Asks the proxy for a connection by `CONNECT` (RFC 9110 §9.3.6). The socket has the far address as its `remoteAddress`: who decides by
 * the peer's address means that one.
 *
 * @throws EgressError `connect_failed`, `timeout`, `cancelled`, `destination_blocked`
 */
export async function openTunnel(end: TunnelEnd, { proxy, ca, timeoutMs, signal }: TunnelOptions): Promise<Socket> {
  const url = new URL(proxy.url);
  const asked = ask(url, authorityOf(proxy.target === 'name' ? end.host : end.address, end.port), ca);
  const giveUp = (): void => void asked.destroy();
  let isLate = false;
  const limit = new TimeLimit(timeoutMs, () => {
    isLate = true;
    giveUp();
  });
  signal?.addEventListener('abort', giveUp);
  try {
    signal?.throwIfAborted();
    asked.end();
    // `error` rejects
    const [answer, socket, head] = (await once(asked, 'connect')) as [IncomingMessage, Socket, Buffer];
    if (answer.statusCode !== 200) {
      socket.destroy();
      throw refused(end.host, answer.statusCode);
    }
    if (isProxyItself(socket, end)) {
      socket.destroy();
      throw new EgressError('destination_blocked', `${end.host} is an address that may not be called from here`);
    }
    if (head.byteLength > 0) socket.unshift(head);
    socket.setNoDelay(true);
    return Object.defineProperty(socket, 'remoteAddress', { value: end.address });
  } catch (error) {
    if (error instanceof EgressError) throw error;
    if (signal?.aborted) throw new EgressError('cancelled', `connecting to ${end.host} was cancelled`);
    if (isLate) throw new EgressError('timeout', `${end.host} could not be connected to within ${timeoutMs} ms`);
    const code = String((error as NodeJS.ErrnoException).code ?? 'unknown');
    // the tenant learns that there is a proxy, not where
    throw new EgressError('connect_failed', `the outgoing proxy of this installation failed (${code})`, {
      cause: error,
    });
  } finally {
    limit.end();
    signal?.removeEventListener('abort', giveUp);
  }
}

function ask(url: URL, authority: string, ca: readonly string[] | undefined): ClientRequest {
  const { hostname, protocol, username, password } = url;
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const common = {
    host,
    port: Number(url.port) || (isTls ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    agent: false as const,
    headers: {
      host: authority,
      ...(username && { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
  };
  if (!isTls) return overTcp(common);
  return overTls({ ...common, ...(ca && { ca: [...ca] }), ...(isIP(host) === 0 && { servername: host }) });
}

function refused(host: string, status: number | undefined): EgressError {
  const why = status === NEEDS_CREDENTIALS ? 'asks for other credentials' : 'refused';
  return new EgressError(
    'connect_failed',
    `the outgoing proxy of this installation ${why}: no connection to ${host} (${status})`,
  );
}

/** Nobody calls the proxy through itself: it trusts who comes from its own address. */
function isProxyItself(socket: Socket, { address, port }: TunnelEnd): boolean {
  return socket.remoteAddress === address && socket.remotePort === port;
}

function authorityOf(host: string, port: number): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
