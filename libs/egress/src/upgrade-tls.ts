import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

export interface TlsUpgrade {
  /** Whose name the certificate has. */
  readonly host: string;
  /** What the certificate is checked with; undefined: what Node trusts. */
  readonly trusted: readonly string[] | undefined;
  /** `verify`: the certificate and its name; `authority`: without its name; `none`: nothing. */
  readonly check: 'verify' | 'authority' | 'none';
  readonly signal: AbortSignal;
}

/**
 * TLS over a socket of the dialer, after a protocol of its own has agreed on it.
 *
 * @throws the error of the handshake; the socket is closed then
 */
export async function upgradeTls(raw: Socket, { signal, ...upgrade }: TlsUpgrade): Promise<TLSSocket> {
  const socket = startTls(raw, upgrade);
  try {
    await once(socket, 'secureConnect', { signal });
    socket.on('error', () => socket.destroy());
    return socket;
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw error;
  }
}

/** The same for a library that waits for the handshake by itself: `secureConnect`, or an error. */
export function startTls(raw: Socket, { host, trusted, check }: Omit<TlsUpgrade, 'signal'>): TLSSocket {
  const socket = connectTls({
    socket: raw,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(trusted && { ca: [...trusted] }),
    rejectUnauthorized: check !== 'none',
    ...(check === 'authority' && { checkServerIdentity: () => undefined }),
  });
  socket.on('close', () => raw.destroy());
  return socket;
}
