import { once } from 'node:events';
import { connect } from 'node:net';
import { openTunnel, type EgressProxy } from './tunnel.js';
import { trustedCertificates } from './trusted-certificates.js';

/** Reserved for documentation (RFC 5737): no proxy reaches it. */
const NOWHERE = { host: '192.0.2.1', address: '192.0.2.1', port: 443 };
const WITHIN_MS = 3_000;

/** What is wrong with the proxy; null: it is reached, and does not ask for other credentials. */
export async function probeProxy(proxy: EgressProxy, ca: string | null): Promise<string | null> {
  const { hostname, port, protocol } = new URL(proxy.url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(WITHIN_MS) });
  } catch (error) {
    return `is not reached (${String((error as NodeJS.ErrnoException).code)})`;
  } finally {
    socket.destroy();
  }
  const tunnel = openTunnel(NOWHERE, { proxy, ca: trustedCertificates(ca), timeoutMs: WITHIN_MS });
  const said = await tunnel.then(
    (opened) => opened.destroy() && '',
    (error: Error) => error.message,
  );
  if (said.endsWith('(407)')) return 'asks for other credentials';
  return /CERT|SIGNATURE|SIGNED|TLS|SSL/.test(said) ? 'has a certificate that is not trusted: see EGRESS_CA' : null;
}
