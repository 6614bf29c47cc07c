import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { PROTOCOL_TIMES, assertProtocolTimes } from '@weft/engine';
import { productVersion, REDIS_CHECK } from '@weft/process';
import { type Drainable } from '@weft/kernel';
import { HealthService, warnRarely, LOG } from '@weft/observability';
import { Mongo } from '@weft/store';
import {
  AdmissionWindow,
  Doorbell,
  LiveWorkers,
  MOST_PLAYS_PER_JOB,
  PlayConsumer,
  WindowRefiller,
  type HandOut,
} from '@weft/queue';
import { PlaySignals } from '@weft/realtime-bus';
import { WindowSizes } from '@weft/runs';
import { QueueKeys } from '@weft/redis';
import type { Logger } from 'pino';
import { ConsumerWatchdog } from './consumer-watchdog.js';
import { PlayExecutor } from './plays/play-executor.js';
import { FinishedPlays } from './window/finished-plays.js';
import { WorkerState } from './worker-state.js';

const ANNOUNCE_EVERY_MS = 5_000;
const STUCK_AFTER_MS = 20_000;
const LOOK_EVERY_MS = 5_000;
/** The part of the grace period that is left for hand-backs and closing. */
const CLOSE_MS = 3_000;

/** Takes plays from the queue and executes them: wires one worker process. */
@Injectable()
export class PlayWorker implements OnApplicationBootstrap, Drainable {
  private readonly consumer: PlayConsumer;
  private readonly watch: ConsumerWatchdog;
  private readonly finished: FinishedPlays;
  private announcing?: NodeJS.Timeout;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Logger,
    private readonly mongo: Mongo,
    health: HealthService,
    private readonly signals: PlaySignals,
    keys: QueueKeys,
    window: AdmissionWindow,
    refiller: WindowRefiller,
    doorbell: Doorbell,
    sizes: WindowSizes,
    private readonly liveWorkers: LiveWorkers,
    private readonly executor: PlayExecutor,
    private readonly state: WorkerState,
  ) {
    assertProtocolTimes(PROTOCOL_TIMES);
    // while a store is unreachable each of these is reported for every play, or every few seconds
    const warn = (what: string) => warnRarely(this.log, 'worker', what);
    this.finished = new FinishedPlays(
      window,
      refiller,
      sizes.of,
      warn('could not take ended plays out of their window'),
    );
    this.consumer = new PlayConsumer({
      redisUrl: settings.redis.url,
      keys: keys.of(settings.worker.label),
      slots: settings.worker.slots,
      lockMs: PROTOCOL_TIMES.lockMs,
      stalledMs: PROTOCOL_TIMES.stalledMs,
      bootId: state.bootId,
      run: (handOut) => this.execute(handOut),
      ring: (jobs) => doorbell.ring(jobs, performance.now()),
      onError: warn('this worker takes no plays: it could not look for work'),
      // the earlier of the two clocks: when one of them is wrong, a job that is given back comes too early, never too late
      clockMs: () => Math.min(Date.now(), mongo.serverNow()),
    });
    this.watch = new ConsumerWatchdog({
      silentMs: () => this.consumer.silentMs,
      isRedisUsable: () => health.isWellBy(REDIS_CHECK),
      stuckAfterMs: STUCK_AFTER_MS,
      observeEveryMs: LOOK_EVERY_MS,
      onStuck: (silentMs) => this.exitStuck(silentMs),
    });
    health.add(this.watch, { part: 'queue', fatal: true });
  }

  onApplicationBootstrap(): void {
    this.signals.subscribe((playId) => this.executor.look(playId));
    this.consumer.start();
    this.watch.start();
    const { label } = this.settings.worker;
    const born = {
      ...(label !== null && { label }),
      slots: this.settings.worker.slots,
      // what finds no slot would have to be given back
      playsPerJob: Math.min(MOST_PLAYS_PER_JOB, Math.ceil(this.settings.worker.slots / this.settings.queue.shards)),
      version: productVersion(),
      startedAt: Math.round(this.mongo.serverNow()),
    };
    const announce = () =>
      void this.liveWorkers
        .announce(this.state.bootId, { ...born, running: this.executor.running })
        .catch(() => undefined);
    announce();
    this.announcing = setInterval(announce, ANNOUNCE_EVERY_MS);
    this.log.info(
      {
        component: 'worker',
        boot_id: this.state.bootId,
        slots: this.settings.worker.slots,
        ...(label !== null && { label }),
      },
      'taking plays',
    );
  }

  /** Takes no more jobs, ends what can end, and hands back the rest. */
  async drain(deadlineMs: number): Promise<void> {
    clearInterval(this.announcing);
    this.watch.stop();
    await this.consumer.stopTaking().catch(() => undefined);
    const allEnded = await this.executor.stop(Math.max(0, deadlineMs - CLOSE_MS));
    // not by force while a run may be starting: its play would have to wait until its job's lock expires
    await this.consumer.close(!allEnded);
    this.state.isClosing = true;
    await this.finished.settled();
    await this.liveWorkers.leave(this.state.bootId).catch(() => undefined);
  }

  /** A job that will be handed out again keeps its play's place in the window. */
  private async execute(handOut: HandOut): Promise<number | null> {
    let againInMs: number | null = null;
    try {
      againInMs = await this.executor.execute(handOut);
      return againInMs;
    } finally {
      if (againInMs === null) this.finished.add(handOut.job.companyId, handOut.job.playId);
    }
  }

  private exitStuck(silentMs: number): void {
    this.log.fatal({ component: 'worker', silent_ms: Math.round(silentMs) }, 'the queue consumer is wedged: exiting');
    setTimeout(() => process.exit(1), 1_000);
  }
}
