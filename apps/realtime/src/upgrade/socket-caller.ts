import type { Principal } from '@weft/access';
import { isCrossSite, type CredentialChecker } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { socketCredential } from './socket-credential.js';
import type { UpgradeRequest } from './upgrade-request.js';

/**
 * Authenticates the request for a socket: docs/live.md.
 *
 * @param publicOrigin scheme, host and port of `API_URL`
 * @throws WeftError 401 without a valid credential, 403 `cross_site`
 */
export async function socketCaller(
  request: Pick<UpgradeRequest, 'headers'>,
  credentials: Credentials,
  publicOrigin: string,
): Promise<Principal> {
  const credential = socketCredential(request.headers);
  if (!credential) {
    throw new WeftError(
      'unauthenticated',
      'Send the session cookie, or a key as Authorization: Bearer or subprotocol.',
    );
  }
  if (credential.kind === 'bearer') return credentials.byBearer(credential.token);
  const caller = await credentials.bySessionId(credential.sid);
  if (isCrossSite(request.headers, publicOrigin)) {
    throw new WeftError('cross_site', 'A page of another site may not open this socket with your session.');
  }
  return caller;
}

/** The part of `CredentialChecker` that sockets need; each method refuses with a 401. */
export type Credentials = Pick<CredentialChecker, 'byBearer' | 'bySessionId' | 'recheck'>;
