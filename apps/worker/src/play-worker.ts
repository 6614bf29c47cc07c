import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { createEgressClient, createEgressDialer } from '@weft/egress';
import { PROTOCOL_TIMES, assertProtocolTimes, type Play } from '@weft/engine';
import { CLOCK, LOG, observePayloads, PlayFigures, REDIS, SETTINGS, productVersion, type Drainable } from '@weft/host';
import { LayerRunner } from '@weft/layers';
import { ApprovalLinks, openOAuth } from '@weft/identity';
import { createIdSource, type Clock } from '@weft/kernel';
import { Sandbox } from '@weft/sandbox';
import { HealthService, Metrics, Tracing, warnRarely } from '@weft/observability';
import {
  CompanyRepository,
  FlowGateRepository,
  FlowVersionRepository,
  KvRepository,
  Mongo,
  MongoPlayStore,
  OpenPlaysRepository,
  WindowPlaysRepository,
  PayloadStore,
  ProcessCache,
  SystemScope,
} from '@weft/persistence';
import {
  Doorbell,
  FlowGatekeeper,
  Places,
  leaveToScheduler,
  LiveWorkers,
  PlayConsumer,
  QueueKeys,
  RunWindow,
  WindowRefiller,
} from '@weft/queue';
import { InvalidationBus, PlayNotices, PlayProgress, PlaySignals } from '@weft/realtime-bus';
import type { Redis } from 'ioredis';
import { randomInt, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { ConsumptionWatch } from './consumption-watch.js';
import { AiAccounts } from './layers/ai-accounts.js';
import { AiWatch } from './layers/ai-watch.js';
import { FlowVersions } from './layers/flow-versions.js';
import { ChildPlays } from './layers/open-child-plays.js';
import { logFaults } from './layers/log-faults.js';
import { observedLayers } from './layers/observed-layers.js';
import { storedIntegrations } from './layers/stored-integrations.js';
import { storedKv } from './layers/stored-kv.js';
import { storedPayloads } from './layers/stored-payloads.js';
import { tracedEgress } from './layers/traced-egress.js';
import { LeaseKeeper } from './lease/lease-keeper.js';
import { patiently, untilFound } from './plays/patience.js';
import { PlayExecutor } from './plays/play-executor.js';
import { playNames } from './plays/play-names.js';
import { playScope } from './plays/play-scope.js';
import { SuspectLane } from './plays/suspect-lane.js';
import { FinishedPlays } from './window/finished-plays.js';
import { ReleasedPlaces } from './window/released-places.js';

const MISSING_MS = 2_000;
const ANNOUNCE_EVERY_MS = 5_000;
const WEDGED_AFTER_MS = 20_000;
const LOOK_EVERY_MS = 5_000;
/** Plays that may have killed a worker, waiting for their turn, hold no more of the slots than that. */
const SEATS_A_SLOT = 1 / 8;
/** Left of the grace for hand-backs and closing. */
const CLOSE_MS = 3_000;

const NOT_BEGUN = 'a play could not be begun: this worker has no version of its flow that it can run';

/** Takes plays from the queue and executes them: the composition of one worker process. */
@Injectable()
export class PlayWorker implements OnApplicationBootstrap, Drainable {
  private readonly bootId = randomUUID().slice(0, 13);
  private readonly keys: QueueKeys;
  private readonly store: MongoPlayStore;
  private readonly executor: PlayExecutor;
  private readonly consumer: PlayConsumer;
  private readonly doorbell: Doorbell;
  private readonly liveWorkers: LiveWorkers;
  private readonly watch: ConsumptionWatch;
  private readonly finished: FinishedPlays;
  private readonly http;
  private readonly sandbox: Sandbox;
  private readonly childPlays: ChildPlays;
  private announcing?: NodeJS.Timeout;
  private closing = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Logger,
    @Inject(REDIS) redis: Redis,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    health: HealthService,
    tracing: Tracing,
    notices: PlayNotices,
    cache: ProcessCache,
    progress: PlayProgress,
    private readonly signals: PlaySignals,
    invalidations: InvalidationBus,
    @Inject(CLOCK) clock: Clock,
    figures: PlayFigures,
  ) {
    assertProtocolTimes(PROTOCOL_TIMES);
    const serverNow = () => mongo.serverNow();
    // while a store is unreachable each of these comes with every play, or every few seconds
    const warn = (what: string) => warnRarely(this.log, 'worker', what);
    this.keys = new QueueKeys(settings.queue.prefix, settings.queue.shards);
    this.store = new MongoPlayStore(mongo, { outcomePatienceMs: Number.POSITIVE_INFINITY });
    this.doorbell = new Doorbell(redis, this.keys, { ringByMs: PROTOCOL_TIMES.ringByMs });
    this.liveWorkers = new LiveWorkers(redis, this.keys);
    this.http = createEgressClient(settings.egress);
    this.sandbox = new Sandbox({ kept: settings.sandbox.processes });

    const announce = (companyId: string, playId: string, seq: number) => notices.announce(companyId, playId, seq);
    const window = new RunWindow(redis, this.keys, { serverNow });
    const windowSize = () => this.liveWorkers.window(settings.run.window, serverNow());
    const openPlays = new OpenPlaysRepository(mongo, new SystemScope('a worker refills the windows of all companies'));
    const windowPlays = new WindowPlaysRepository(mongo, openPlays.scope);
    const refiller = new WindowRefiller(window, this.doorbell, windowPlays, {
      ...{ window: windowSize, serverNow, times: PROTOCOL_TIMES, announce },
    });
    const roomFor = new Places(window, windowSize);
    this.finished = new FinishedPlays(
      window,
      refiller,
      windowSize,
      warn('could not take ended plays out of their window'),
    );

    const gatekeeper = new FlowGatekeeper({
      gates: new FlowGateRepository(mongo, openPlays.scope),
      plays: openPlays,
      doorbell: this.doorbell,
      places: roomFor,
      ...{ windowSize, serverNow, announce },
      onRefused: leaveToScheduler,
    });
    const places = new ReleasedPlaces(gatekeeper, warn('could not let in the next plays of a limited flow'));

    const approvalLinks = new ApprovalLinks(settings);
    const versions = new FlowVersions(
      new FlowVersionRepository(mongo),
      new CompanyRepository(mongo),
      cache.of('flow_definitions'),
      (place) => approvalLinks.urlOf(place),
    );
    const closing = () => this.closing;
    const newId = createIdSource(() => Math.floor(serverNow()), randomInt(2 ** 32));
    const ai = new AiAccounts(settings.ai.prices, metrics);
    const aiWatch = new AiWatch(() => performance.now());
    health.add(aiWatch, { part: 'ai', fatal: false });
    this.childPlays = new ChildPlays({
      ...{ settings, redis, mongo, notices, signals, invalidations, cache, clock, log, closing, tracing },
      ...{ keys: this.keys, store: this.store, doorbell: this.doorbell, sandbox: this.sandbox },
      onSkipped: (play) => figures.ended(play, 'SKIP', null),
    });
    this.executor = new PlayExecutor({
      bootId: this.bootId,
      onEnded: ({ job }) => this.finished.add(job.companyId, job.playId),
      deps: {
        store: this.store,
        read: (key) => untilFound(() => patiently(() => this.store.find(key), closing), MISSING_MS),
        reread: (key) => patiently(() => this.store.find(key), closing),
        prepare: (play) => this.prepare(versions, play),
        scope: playScope(tracing),
        layers: observedLayers(
          new LayerRunner({
            http: tracedEgress(this.http, tracing),
            sandbox: this.sandbox,
            sockets: createEgressDialer(settings.egress),
            kv: storedKv(new KvRepository(mongo), newId, closing),
            accountAi: (use) => ai.account(use),
            integrations: storedIntegrations(
              openOAuth({ mongo, settings, http: this.http, processTag: this.bootId }).integrationTokens,
              closing,
            ),
            plays: this.childPlays.source,
            payloads: storedPayloads(
              new PayloadStore(mongo, {
                // a layer does not fail because MongoDB is away when its call has ended
                retry: (step) => patiently(step, closing),
                onWritten: observePayloads(metrics, log),
              }),
            ),
            serverNow,
            onFault: logFaults(log),
          }),
          { log, tracing, onEnd: (appId, code) => appId === 'ai-chat' && aiWatch.ended(code) },
        ),
        leases: new LeaseKeeper(this.store, PROTOCOL_TIMES.renewMs, warn('could not renew leases')),
        suspects: new SuspectLane({ seats: Math.floor(settings.worker.slots * SEATS_A_SLOT) }),
        notices,
        progress,
        times: PROTOCOL_TIMES,
        serverNow,
        ring: (job, askedAtMs) => void this.doorbell.ring([job], askedAtMs),
        onLayer: (appId, state) => this.metrics.layerExecuted(appId, state),
        onStart: (play, waitedMs) => figures.started(play, waitedMs),
        onFinal: (play, state, startedAt) => {
          figures.ended(play, state, startedAt);
          if (play.limited) places.add(play.company_id, play.flowId, play._id);
          this.childPlays.onFinal(play, state);
          this.logEnd(play, state, startedAt);
        },
        onUnready: (play, why) => this.log.warn({ component: 'worker', ...playNames(play), why }, NOT_BEGUN),
        onLost: (play, where, why) => {
          this.metrics.ownershipLost(where === 'renew' ? 'lease' : 'write');
          this.log.info({ component: 'worker', ...playNames(play), where, why }, 'another one has the play now');
        },
      },
    });
    this.consumer = new PlayConsumer({
      redisUrl: settings.redis.url,
      keys: this.keys,
      slots: settings.worker.slots,
      lockMs: PROTOCOL_TIMES.lockMs,
      bootId: this.bootId,
      run: (handOut) => this.executor.execute(handOut),
      onError: warn('this worker takes no plays: it could not look for work'),
    });
    this.watch = new ConsumptionWatch({
      silentMs: () => this.consumer.silentMs,
      redisAnswers: async () => (await redis.ping().catch(() => null)) === 'PONG',
      wedgedAfterMs: WEDGED_AFTER_MS,
      lookEveryMs: LOOK_EVERY_MS,
      onWedged: (silentMs) => this.exitWedged(silentMs),
    });
    health.add(this.watch, { part: 'queue', fatal: true });
  }

  onApplicationBootstrap(): void {
    this.signals.subscribe((playId) => this.executor.look(playId));
    this.consumer.start();
    this.watch.start();
    const born = {
      slots: this.settings.worker.slots,
      version: productVersion(),
      startedAt: Math.round(this.mongo.serverNow()),
    };
    const announce = () =>
      void this.liveWorkers
        .announce(this.bootId, { ...born, running: this.executor.running }, this.mongo.serverNow())
        .catch(() => undefined);
    announce();
    this.announcing = setInterval(announce, ANNOUNCE_EVERY_MS);
    this.log.info({ component: 'worker', boot_id: this.bootId, slots: this.settings.worker.slots }, 'taking plays');
  }

  /** Takes no more, ends what can end, hands the rest back. */
  async drain(deadlineMs: number): Promise<void> {
    clearInterval(this.announcing);
    this.watch.stop();
    await this.consumer.stopTaking().catch(() => undefined);
    const allEnded = await this.executor.stop(Math.max(0, deadlineMs - CLOSE_MS));
    // not by force while a run may just begin: its play would have to wait for the end of its job's lock
    await this.consumer.close(!allEnded);
    this.closing = true;
    await Promise.all([this.finished.settled(), this.childPlays.close()]);
    await this.liveWorkers.leave(this.bootId).catch(() => undefined);
    this.store.close();
    await Promise.allSettled([this.doorbell.close(), this.http.close(), this.sandbox.close()]);
  }

  private prepare(versions: FlowVersions, play: Play) {
    const known = versions.get(play.company_id, play.flowId, play.version);
    if (!(known instanceof Promise)) return known;
    return patiently(
      () => versions.get(play.company_id, play.flowId, play.version),
      () => this.closing,
    );
  }

  private logEnd(play: Play, state: string, startedAt: Date): void {
    if (!this.log.isLevelEnabled('debug')) return;
    const duration_ms = Math.max(0, Math.round(this.mongo.serverNow() - startedAt.getTime()));
    this.log.debug({ component: 'worker', ...playNames(play), state, duration_ms }, 'a play ended');
  }

  private exitWedged(silentMs: number): void {
    this.log.fatal({ component: 'worker', silent_ms: Math.round(silentMs) }, 'the queue consumer is wedged: exiting');
    setTimeout(() => process.exit(1), 1_000);
  }
}
