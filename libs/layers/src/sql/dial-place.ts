/** Sockets to servers of tenants whose protocols are not HTTP: guarded, and encrypted as their link says. */
import { isPublicAddress, upgradeTls, type EgressDialer } from '@weft/egress';
import type { Socket } from 'node:net';
import { LayerFailure } from '../layer-module.js';

export const CONNECTS_WITHIN_MS = 10_000;

export interface SecurePlace {
  readonly host: string;
  readonly port: number;
  readonly tls: 'require' | 'verify' | 'off';
  /** PEM. */
  readonly ca: string | null;
}

/** @throws EgressError, LayerFailure `integration_unusable` */
export async function dialPlace(
  { host, port, tls }: SecurePlace,
  sockets: EgressDialer,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = await sockets.dial({ host, port, tls: false, timeoutMs: CONNECTS_WITHIN_MS, signal });
  socket.on('error', () => socket.destroy());
  // other addresses can be reached only where the operator has opened them
  if (tls !== 'off' || !isPublicAddress(socket.remoteAddress ?? '')) return socket;
  socket.destroy();
  const why = `its tls is "off", and ${host} is a public address: off is for addresses that an operator opened with EGRESS_ALLOW`;
  throw new LayerFailure('integration_unusable', `The integration cannot be used: ${why}.`);
}

/** @throws LayerFailure `connect_failed` */
export async function encryptTo(
  raw: Socket,
  { host, tls, ca }: SecurePlace,
  trusted: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  try {
    return await upgradeTls(raw, {
      ...{ host, signal, trusted: ca === null ? trusted : [...(trusted ?? []), ca] },
      check: tls === 'verify' ? 'verify' : ca === null ? 'none' : 'authority',
    });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'CERT_HAS_EXPIRED') {
      const ended = `the certificate of ${host} has ended: its server needs a new one`;
      throw new LayerFailure('connect_failed', ended, undefined, { cause: error });
    }
    const why = `the certificate of ${host} is not trusted, or no TLS could be made (${code})`;
    const mend = 'give its authority in the setting ca of the integration';
    throw new LayerFailure('connect_failed', `${why}: ${mend}`, undefined, { cause: error });
  }
}
