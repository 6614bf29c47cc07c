import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { CLOSE } from '@weft/contracts';
import type { Settings } from '@weft/config';
import { CLOCK, NEW_ID, SETTINGS, type Drainable } from '@weft/host';
import { CredentialChecker, GrantCache } from '@weft/identity';
import type { Clock, NewId } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import { Mongo, type WatchedPlay } from '@weft/persistence';
import { InvalidationBus, PlayNotices, PlayProgress } from '@weft/realtime-bus';
import type { Server } from 'node:http';
import type { WebSocket } from 'ws';
import { LiveFigures } from '../live-figures.js';
import { ProgressRelay } from '../progress/progress-relay.js';
import { LiveSocket, type SocketLimits } from '../socket/live-socket.js';
import { OpenSockets } from '../socket/open-sockets.js';
import { socketCaller } from '../upgrade/socket-caller.js';
import { SocketUpgrades, type Admission, type SocketStream } from '../upgrade/socket-upgrades.js';
import { readFromSeq, type UpgradeRequest } from '../upgrade/upgrade-request.js';
import { PlayAccess } from './play-access.js';
import { PlayFeed } from './play-feed.js';
import { PlayReader } from './play-reader.js';
import { PlayWatcher } from './play-watcher.js';
import { RightsWatch } from './rights-watch.js';
import { StoredPlays } from './stored-plays.js';

const PATH = /^\/ws\/plays\/([^/]+)$/;
/** What one reader may have waiting in memory; a frame is at most some 20 KB. */
const BUFFER_BYTES = 128 * 1024;
const COMPARE_MS = 2_000;
const PROGRESS_MS = 1_000;
/** For farewells; a process that stops has other things to do, too. */
const DRAIN_MS_MAX = 3_000;

/** `/ws/plays/:play_id`: contract §6. Opens, follows and ends the sockets; what is sent is the feed's business. */
@Injectable()
export class PlayStreamGateway implements SocketStream, Drainable {
  /** After the workers of a standalone process, whose last writes are still shown. */
  readonly drainOrder = 10;

  private readonly logger = new Logger('realtime');
  private readonly limits: SocketLimits;
  private readonly publicOrigin: string;
  private readonly access: PlayAccess;
  private readonly progress: ProgressRelay;
  private readonly feed: PlayFeed;
  private readonly sockets: OpenSockets;
  private readonly upgrades: SocketUpgrades;
  private readonly readers = new Set<PlayReader>();
  private readonly timers: readonly NodeJS.Timeout[];
  private readonly rightsWatch: RightsWatch;
  private readonly stopListening: readonly (() => void)[];

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) newId: NewId,
    @Inject(CredentialChecker) private readonly credentials: CredentialChecker,
    @Inject(GrantCache) grants: GrantCache,
    @Inject(StoredPlays) stored: StoredPlays,
    @Inject(Mongo) mongo: Mongo,
    @Inject(PlayNotices) notices: PlayNotices,
    @Inject(PlayProgress) progress: PlayProgress,
    @Inject(InvalidationBus) invalidations: InvalidationBus,
    @Inject(Metrics) metrics: Metrics,
  ) {
    const figures = new LiveFigures(metrics);
    this.limits = limitsOf(settings);
    this.publicOrigin = new URL(settings.server.apiUrl).origin;
    this.access = new PlayAccess(stored, grants);
    this.progress = new ProgressRelay(progress, () => mongo.serverNow());
    const onFault = (error: unknown) => this.logger.warn({ err: error, message: 'watched plays could not be read' });
    this.feed = new PlayFeed(stored, notices, figures, onFault, this.progress);
    this.sockets = new OpenSockets(figures, this.clock, tickOf(this.limits));
    this.upgrades = new SocketUpgrades([this], newId, (error, requestId) =>
      this.logger.error({ err: error.cause, request_id: requestId, message: 'a socket could not be opened' }),
    );
    this.timers = [
      setInterval(() => void this.feed.compare(), COMPARE_MS).unref(),
      setInterval(() => this.progress.tick(), PROGRESS_MS).unref(),
    ];
    this.rightsWatch = new RightsWatch(invalidations, this.readers);
    this.stopListening = [
      invalidations.on('session', (id) => this.lookAt((reader) => reader.credentialId === id)),
      invalidations.on('api-key', (id) => this.lookAt((reader) => reader.credentialId === id)),
      invalidations.on('user', (id) => this.lookAt((reader) => reader.userId === id)),
      invalidations.on('grants', (id) => this.lookAt((reader) => reader.isReachedBy(id))),
      invalidations.on('company', (id) => this.lookAt((reader) => reader.companyId === id)),
      invalidations.on('flow', (id) => {
        stored.forgetFlow(id);
        this.lookAt((reader) => reader.play.flowId === id);
      }),
    ];
  }

  /** Sockets of this server are answered from now on; its ordinary requests are not touched. */
  attach(server: Server): void {
    this.upgrades.attach(server);
  }

  answers(path: string): boolean {
    return PATH.test(path);
  }

  async admit(request: UpgradeRequest): Promise<Admission> {
    const caller = await socketCaller(request, this.credentials, this.publicOrigin);
    this.access.requireScope(caller);
    const fromSeq = readFromSeq(request.query);
    const release = this.sockets.reserve(caller.userId);
    try {
      const play = await this.access.requireRead(caller, PATH.exec(request.path)?.[1] ?? '');
      return { release, open: (ws) => this.open(ws, caller, play, fromSeq) };
    } catch (error) {
      release();
      throw error;
    }
  }

  async drain(deadlineMs: number): Promise<void> {
    this.timers.forEach((timer) => clearInterval(timer));
    this.rightsWatch.stop();
    for (const stop of this.stopListening) stop();
    this.upgrades.stop();
    await this.sockets.drain(Math.min(deadlineMs, DRAIN_MS_MAX));
    this.feed.close();
    this.progress.close();
  }

  private open(ws: WebSocket, caller: Principal, play: WatchedPlay, fromSeq: number): void {
    const socket: LiveSocket = new LiveSocket(ws, this.limits, this.clock, {
      onDrain: () => this.feed.resume(watcher),
      onMessage: () => socket.close(CLOSE.badMessage, 'this stream takes no messages'),
      onPing: () => void reader.look(),
      onClosed: (code) => {
        this.sockets.delete(socket, code);
        this.feed.delete(watcher);
        this.readers.delete(reader);
      },
    });
    const address = { playId: play._id, companyId: play.company_id, flowId: play.flowId };
    const watcher = new PlayWatcher(address, fromSeq, socket);
    const reader = new PlayReader(caller, play, watcher, {
      credentials: this.credentials,
      access: this.access,
      onResume: (one) => this.feed.resume(one),
    });
    this.sockets.add(socket);
    this.readers.add(reader);
    this.feed.add(watcher);
  }

  private lookAt(concerns: (reader: PlayReader) => boolean): void {
    for (const reader of this.readers) if (concerns(reader)) void reader.look();
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
