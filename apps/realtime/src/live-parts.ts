import type { CredentialChecker } from '@weft/identity';
import type { Clock } from '@weft/kernel';
import type { LiveFeeds } from './live-feeds.js';
import type { LiveFigures } from './live-figures.js';
import type { UserPlaces } from './places/user-places.js';
import type { LiveReaders } from './rights/live-readers.js';
import type { PlayAccess } from './rights/play-access.js';
import type { SocketLimits } from './socket/live-socket.js';
import type { OpenSockets } from './socket/open-sockets.js';

/** What all kinds of streams share: one set of limits, of open sockets and of readers for the process. */
export interface LiveParts {
  readonly limits: SocketLimits;
  /** Scheme, host and port of `API_URL`. */
  readonly publicOrigin: string;
  readonly clock: Clock;
  readonly credentials: CredentialChecker;
  readonly access: PlayAccess;
  readonly feeds: LiveFeeds;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly figures: LiveFigures;
  readonly sockets: OpenSockets;
  readonly places: UserPlaces;
  readonly readers: LiveReaders;
  /** MongoDB could not be read; whoever says so tries again. */
  readonly onFault: (error: unknown) => void;
}
