import type { CredentialChecker } from '@weft/identity';
import type { Clock } from '@weft/kernel';
import type { LiveFeeds } from './live-feeds.js';
import type { GatewayMetrics } from './gateway-metrics.js';
import type { ConnectionQuota } from './quota/connection-quota.js';
import type { LiveReaders } from './rights/live-readers.js';
import type { PlayAccess } from './rights/play-access.js';
import type { SocketLimits } from './socket/live-socket.js';
import type { OpenSockets } from './socket/open-sockets.js';

/** What all kinds of streams share: the process has one set of limits, of open sockets and of readers. */
export interface GatewayContext {
  readonly limits: SocketLimits;
  /** Scheme, host and port of `API_URL`. */
  readonly publicOrigin: string;
  readonly clock: Clock;
  readonly credentials: CredentialChecker;
  readonly access: PlayAccess;
  readonly feeds: LiveFeeds;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly metrics: GatewayMetrics;
  readonly sockets: OpenSockets;
  readonly connectionQuota: ConnectionQuota;
  readonly readers: LiveReaders;
  /** Called when MongoDB could not be read; the caller tries again. */
  readonly onFault: (error: unknown) => void;
}
