import { Inject, Injectable, Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SETTINGS, type Settings } from '@weft/config';
import { CredentialChecker, GrantCache } from '@weft/identity';
import { CLOCK, NEW_ID, type Clock, type NewId, type Drainable } from '@weft/kernel';
import { Metrics, rarely } from '@weft/observability';
import { Mongo, PlayMovesRepository } from '@weft/store';
import { InvalidationBus, PlayNotices, PlayProgress } from '@weft/realtime-bus';
import { REDIS, type Redis } from '@weft/redis';
import { CompanyStream } from './company-stream/company-stream.js';
import { LiveFeeds } from './live-feeds.js';
import { GatewayMetrics } from './gateway-metrics.js';
import type { GatewayContext } from './gateway-context.js';
import { RedisConnectionCounts } from './quota/redis-connection-counts.js';
import { ConnectionQuota } from './quota/connection-quota.js';
import { PlayStream } from './play-stream/play-stream.js';
import { StoredPlays } from './play-stream/stored-plays.js';
import { LiveReaders } from './rights/live-readers.js';
import { PlayAccess } from './rights/play-access.js';
import type { SocketLimits } from './socket/live-socket.js';
import { SocketIoAdapter } from './socket-io/socket-io-adapter.js';
import { SocketIoServer } from './socket-io/socket-io-server.js';
import { SocketIoStream } from './socket-io/socket-io-stream.js';
import { OpenSockets } from './socket/open-sockets.js';
import { SocketUpgrades } from './upgrade/socket-upgrades.js';

/** What one reader may have waiting in memory; a frame has at most some 20 KB. */
const BUFFER_BYTES = 128 * 1024;
/** For the close frames: a process that stops has other work to finish, too. */
const MAX_DRAIN_MS = 3_000;

/** All live streams of a process: creates them, attaches them to the server, and closes them. */
@Injectable()
export class LiveStreams implements Drainable {
  /** After the workers of a standalone process, so that their last writes are still shown. */
  readonly drainOrder = 10;

  /** For `PlaysGateway`. */
  readonly context: GatewayContext;
  readonly socketIo: SocketIoServer;

  private readonly upgrades: SocketUpgrades;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) clock: Clock,
    @Inject(NEW_ID) newId: NewId,
    @Inject(CredentialChecker) credentials: CredentialChecker,
    @Inject(GrantCache) grants: GrantCache,
    @Inject(StoredPlays) stored: StoredPlays,
    @Inject(Mongo) mongo: Mongo,
    @Inject(REDIS) redis: Redis,
    @Inject(PlayNotices) notices: PlayNotices,
    @Inject(PlayProgress) progress: PlayProgress,
    @Inject(InvalidationBus) invalidations: InvalidationBus,
    @Inject(Metrics) processMetrics: Metrics,
  ) {
    const logger = new Logger('realtime');
    const metrics = new GatewayMetrics(processMetrics);
    const limits = limitsOf(settings);
    const warn = (message: string) => rarely((err, times) => logger.warn({ err, times, message }));
    const warnUnreachable = warn('sockets are counted by this gateway alone: Redis does not tell of others');
    const onUnreachable = (error: unknown): void => {
      metrics.admittedByOwnCount();
      warnUnreachable(error);
    };
    const counts = new RedisConnectionCounts(redis, {
      prefix: settings.queue.prefix,
      gatewayId: newId(),
      onUnreachable,
    });
    const moves = new PlayMovesRepository(mongo);
    const onFault = warn('what live readers follow could not be read');
    this.context = {
      limits,
      clock,
      credentials,
      metrics,
      onFault,
      feeds: new LiveFeeds({ stored, moves, notices, progress, metrics, onFault }),
      serverNow: () => moves.serverNow(),
      publicOrigin: new URL(settings.server.apiUrl).origin,
      access: new PlayAccess(stored, grants),
      sockets: new OpenSockets(metrics, clock, tickMsOf(limits)),
      connectionQuota: new ConnectionQuota(counts),
      readers: new LiveReaders(invalidations, (flowId) => stored.forgetFlow(flowId)),
    };
    this.socketIo = new SocketIoServer(limits);
    const io = new SocketIoStream(this.socketIo, this.context.publicOrigin);
    const streams = [new PlayStream(this.context), new CompanyStream(this.context), io];
    this.upgrades = new SocketUpgrades(streams, newId, (error, requestId) =>
      logger.error({ err: error.cause, request_id: requestId, message: 'a socket could not be opened' }),
    );
  }

  /** From now on this answers the socket upgrades of the server; ordinary requests are not affected. */
  attach(app: NestFastifyApplication): void {
    app.useWebSocketAdapter(new SocketIoAdapter(this.socketIo));
    this.upgrades.attach(app.getHttpServer());
  }

  async drain(deadlineMs: number): Promise<void> {
    this.context.feeds.stop();
    this.context.readers.stop();
    this.upgrades.stop();
    await this.context.sockets.drain(Math.min(deadlineMs, MAX_DRAIN_MS));
    await this.context.connectionQuota.close();
    this.context.feeds.close();
  }
}

function limitsOf({ websocket }: Settings): SocketLimits {
  return {
    pingPeriodMs: websocket.pingPeriodSeconds * 1_000,
    readDeadlineMs: websocket.readDeadlineSeconds * 1_000,
    writeDeadlineMs: websocket.writeDeadlineSeconds * 1_000,
    bufferBytes: BUFFER_BYTES,
  };
}

/** Often enough that no limit is exceeded by more than a quarter. */
function tickMsOf({ pingPeriodMs, readDeadlineMs, writeDeadlineMs }: SocketLimits): number {
  return Math.max(5, Math.min(1_000, Math.min(pingPeriodMs, readDeadlineMs, writeDeadlineMs) / 4));
}
