export {
  EgressError,
  type EgressClient,
  type EgressErrorCode,
  type EgressRequest,
  type EgressResponse,
} from './egress-client.js';
export { isStreamed, type OutgoingBody, type StreamedBody } from './outgoing-body.js';
export { createEgressClient, type EgressClientOptions } from './create-egress-client.js';
export {
  createAddressGuard,
  isPublicAddress,
  type AddressGuard,
  type EgressRange,
  type EgressRules,
} from './address-guard.js';
export { isNeverAllowed, refusalOfUrl } from './blocked-destination.js';
export { mayCrossOrigins } from './redirect.js';
export { probeProxy } from './probe-proxy.js';
export {
  amazonAddress,
  isAmazonRegion,
  isS3,
  presigned,
  rfc3986,
  sha256Of,
  UNSIGNED_PAYLOAD,
  withSignature,
  type SigningKeys,
  type SigningScope,
} from './sign-v4.js';
export type { EgressProxy } from './tunnel.js';
export { startTls, upgradeTls, type TlsUpgrade } from './upgrade-tls.js';
export type { ResolveHost } from './guarded-lookup.js';
export { createEgressDialer, type EgressDialer, type EgressDialerOptions } from './create-egress-dialer.js';
