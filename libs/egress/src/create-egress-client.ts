import { Agent } from 'undici';
import { createAddressGuard, type EgressRules } from './address-guard.js';
import type { EgressClient } from './egress-client.js';
import { Exchange } from './exchange.js';
import { createGuardedConnector } from './guarded-connector.js';
import type { ResolveHost } from './guarded-lookup.js';
import { readRequest } from './outgoing-request.js';

export interface EgressClientOptions extends EgressRules {
  /** Name resolution, look-up and TLS handshake together; default 10,000. */
  readonly connectTimeoutMs?: number;
  /** How long an idle connection is kept where the server does not say; default 4,000. */
  readonly keepAliveTimeoutMs?: number;
  /** Headers of an answer; default 32,768. */
  readonly maxResponseHeaderBytes?: number;
  /** Sent where the request names none; default `weft`. */
  readonly userAgent?: string;
  /** Default: the operating system's resolver. */
  readonly resolve?: ResolveHost;
}

/**
 * The guarded way out: keep-alive pools per origin over a connector that judges every address (see `guarded-connector.ts`).
 * It follows no proxy setting of the environment and keeps no cookies; time limits are the request's own.
 * Throws on an entry of `allow` or `deny` that is not a CIDR.
 */
export function createEgressClient(options: EgressClientOptions): EgressClient {
  const userAgent = options.userAgent ?? 'weft';
  const agent = new Agent({
    connect: createGuardedConnector({
      guard: createAddressGuard(options),
      connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
      resolve: options.resolve,
    }),
    allowH2: false,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 4_000,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: options.maxResponseHeaderBytes ?? 32_768,
    // One timer per call covers the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  let closing: Promise<void> | undefined;
  return {
    async request(request) {
      return new Exchange(agent, readRequest(request, userAgent), request).start();
    },
    // Waits for calls in flight; their own time limits bound it.
    close: () => (closing ??= agent.close()),
  };
}
