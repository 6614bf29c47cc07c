import { Agent } from 'undici';
import { createAddressGuard, type EgressRules } from './address-guard.js';
import type { EgressClient } from './egress-client.js';
import { Exchange } from './exchange.js';
import { createGuardedConnector } from './guarded-connector.js';
import { poolOf } from './kept-connection.js';
import type { ResolveHost } from './guarded-lookup.js';
import { readRequest } from './outgoing-request.js';
import { trustedCertificates } from './trusted-certificates.js';
import type { EgressProxy } from './tunnel.js';

export interface EgressClientOptions extends EgressRules {
  /** Through which public addresses are called; default: none. */
  readonly proxy?: EgressProxy | null;
  /** Certificates (PEM) that are trusted in addition to those that Node trusts; default: none. */
  readonly ca?: string | null;
  /** Name resolution, look-up and TLS handshake together; default 10,000. */
  readonly connectTimeoutMs?: number;
  /** How long an idle connection is kept if the server does not say; default 4,000. */
  readonly keepAliveTimeoutMs?: number;
  /** Of a response's headers; default 32,768. */
  readonly maxResponseHeaderBytes?: number;
  /** Sent when the request has none; default `weft`. */
  readonly userAgent?: string;
  /** Default: the operating system's resolver. */
  readonly resolve?: ResolveHost;
}

/**
 * The guarded HTTP client: keep-alive pools for each origin over a connector that judges every address (see
 * `guarded-connector.ts`). It ignores proxy settings of the environment and keeps no cookies; each request has its own
 * time limit. Throws on an entry of `allow` or `deny` that is not a CIDR.
 */
export function createEgressClient(options: EgressClientOptions): EgressClient {
  const userAgent = options.userAgent ?? 'weft';
  const agent = new Agent({
    factory: poolOf,
    connect: createGuardedConnector({
      guard: createAddressGuard(options),
      connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
      resolve: options.resolve,
      proxy: options.proxy,
      ca: trustedCertificates(options.ca),
    }),
    allowH2: false,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 4_000,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: options.maxResponseHeaderBytes ?? 32_768,
    // one timer for each call covers the whole exchange
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  let closing: Promise<void> | undefined;
  return {
    async request(request) {
      return new Exchange(agent, readRequest(request, userAgent), request).start();
    },
    // waits for calls in flight, which end at their time limits
    close: () => (closing ??= agent.close()),
  };
}
