import { Inject, Injectable, Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '@weft/config';
import { CLOCK, NEW_ID, REDIS, SETTINGS, type Drainable } from '@weft/host';
import { CredentialChecker, GrantCache } from '@weft/identity';
import type { Clock, NewId } from '@weft/kernel';
import { Metrics, rarely } from '@weft/observability';
import { Mongo, PlayMovesRepository } from '@weft/persistence';
import { InvalidationBus, PlayNotices, PlayProgress, type BusRedis } from '@weft/realtime-bus';
import { CompanyStream } from './company-stream/company-stream.js';
import { LiveFeeds } from './live-feeds.js';
import { LiveFigures } from './live-figures.js';
import type { LiveParts } from './live-parts.js';
import { RedisCensus } from './places/redis-census.js';
import { UserPlaces } from './places/user-places.js';
import { PlayStream } from './play-stream/play-stream.js';
import { StoredPlays } from './play-stream/stored-plays.js';
import { LiveReaders } from './rights/live-readers.js';
import { PlayAccess } from './rights/play-access.js';
import type { SocketLimits } from './socket/live-socket.js';
import { DoorAdapter } from './socket-io/door-adapter.js';
import { IoDoor } from './socket-io/io-door.js';
import { IoStream } from './socket-io/io-stream.js';
import { OpenSockets } from './socket/open-sockets.js';
import { SocketUpgrades } from './upgrade/socket-upgrades.js';

/** What one reader may have waiting in memory; a frame is at most some 20 KB. */
const BUFFER_BYTES = 128 * 1024;
/** For farewells; a process that stops has other things to do, too. */
const DRAIN_MS_MAX = 3_000;

/** All live streams of a process: puts them together, attaches them to the server, and ends them. */
@Injectable()
export class LiveStreams implements Drainable {
  /** After the workers of a standalone process, whose last writes are still shown. */
  readonly drainOrder = 10;

  /** For the gateway of socket.io. */
  readonly parts: LiveParts;
  readonly door: IoDoor;

  private readonly upgrades: SocketUpgrades;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) clock: Clock,
    @Inject(NEW_ID) newId: NewId,
    @Inject(CredentialChecker) credentials: CredentialChecker,
    @Inject(GrantCache) grants: GrantCache,
    @Inject(StoredPlays) stored: StoredPlays,
    @Inject(Mongo) mongo: Mongo,
    @Inject(REDIS) redis: BusRedis,
    @Inject(PlayNotices) notices: PlayNotices,
    @Inject(PlayProgress) progress: PlayProgress,
    @Inject(InvalidationBus) invalidations: InvalidationBus,
    @Inject(Metrics) metrics: Metrics,
  ) {
    const logger = new Logger('realtime');
    const figures = new LiveFigures(metrics);
    const limits = limitsOf(settings);
    const warn = (message: string) => rarely((err, times) => logger.warn({ err, times, message }));
    const tellOfSilence = warn('sockets are counted by this gateway alone: Redis does not tell of others');
    const onSilence = (error: unknown): void => {
      figures.placeUnshared();
      tellOfSilence(error);
    };
    const census = new RedisCensus(redis, { prefix: settings.queue.prefix, gateway: newId(), onSilence });
    const moves = new PlayMovesRepository(mongo);
    const onFault = warn('what live readers follow could not be read');
    this.parts = {
      ...{ limits, clock, credentials, figures, onFault },
      feeds: new LiveFeeds({ stored, moves, notices, progress, figures, onFault }),
      serverNow: () => moves.serverNow(),
      publicOrigin: new URL(settings.server.apiUrl).origin,
      access: new PlayAccess(stored, grants),
      sockets: new OpenSockets(figures, clock, tickOf(limits)),
      places: new UserPlaces(census),
      readers: new LiveReaders(invalidations, (flowId) => stored.forgetFlow(flowId)),
    };
    this.door = new IoDoor(limits);
    const io = new IoStream(this.door, this.parts.publicOrigin);
    const streams = [new PlayStream(this.parts), new CompanyStream(this.parts), io];
    this.upgrades = new SocketUpgrades(streams, newId, (error, requestId) =>
      logger.error({ err: error.cause, request_id: requestId, message: 'a socket could not be opened' }),
    );
  }

  /** Sockets of this server are answered from now on; its ordinary requests are not touched. */
  attach(app: NestFastifyApplication): void {
    app.useWebSocketAdapter(new DoorAdapter(this.door));
    this.upgrades.attach(app.getHttpServer());
  }

  async drain(deadlineMs: number): Promise<void> {
    this.parts.feeds.stop();
    this.parts.readers.stop();
    this.upgrades.stop();
    await this.parts.sockets.drain(Math.min(deadlineMs, DRAIN_MS_MAX));
    await this.parts.places.close();
    this.parts.feeds.close();
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

/** Often enough that no limit is overrun by more than a quarter. */
function tickOf({ pingPeriodMs, readDeadlineMs, writeDeadlineMs }: SocketLimits): number {
  return Math.max(5, Math.min(1_000, Math.min(pingPeriodMs, readDeadlineMs, writeDeadlineMs) / 4));
}
