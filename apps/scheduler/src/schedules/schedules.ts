import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { FlowCache, OnBehalf, PlayAcceptance } from '@weft/acceptance';
import type { Settings } from '@weft/config';
import type { PlayState } from '@weft/contracts';
import { PROTOCOL_TIMES } from '@weft/engine';
import { CLOCK, LOG, PlayFigures, REDIS, SETTINGS, type Drainable } from '@weft/host';
import { GrantCache, MemberSource } from '@weft/identity';
import type { Clock } from '@weft/kernel';
import { Metrics, rarely, Tracing, warnRarely } from '@weft/observability';
import {
  FlowRepository,
  GrantRepository,
  Mongo,
  MongoPlayStore,
  ProcessCache,
  ScheduleFiringRepository,
  SystemScope,
} from '@weft/persistence';
import { Doorbell, QueueKeys } from '@weft/queue';
import { InvalidationBus, PlayNotices } from '@weft/realtime-bus';
import { Sandbox } from '@weft/sandbox';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { Jobs } from '../jobs/jobs.js';
import { PassLoop } from '../pass-loop.js';
import { ScheduleFirer } from './schedule-firer.js';

const PASS_EVERY_MS = 1_000;
const LOOK_AHEAD_EVERY_MS = 5_000;
/** The job of the view: what it shows is that schedules are looked after; slots are fired by each scheduler, each second. */
const JOB_EVERY_MS = 60_000;
/** Flows with a row of their own in the gauge. */
const MAX_FLOWS_SHOWN = 1_000;

/** Fires schedules for as long as the process lives. */
@Injectable()
export class Schedules implements OnApplicationBootstrap, Drainable {
  private readonly firer: ScheduleFirer;
  private readonly flows: FlowCache;
  private readonly store: MongoPlayStore;
  private readonly acceptance: PlayAcceptance;
  private readonly doorbell: Doorbell;
  private readonly sandbox: Sandbox;
  private readonly schedules: ScheduleFiringRepository;
  private readonly loops: readonly PassLoop[];
  /** By flow, when its next slot is. */
  private soonest: ReadonlyMap<string, Date> = new Map();

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) log: Logger,
    @Inject(REDIS) redis: Redis,
    @Inject(CLOCK) clock: Clock,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    notices: PlayNotices,
    bus: InvalidationBus,
    jobs: Jobs,
    figures: PlayFigures,
    cache: ProcessCache,
    tracing: Tracing,
  ) {
    this.sandbox = new Sandbox({ kept: settings.sandbox.processes });
    const keys = new QueueKeys(settings.queue.prefix, settings.queue.shards);
    this.flows = new FlowCache(new FlowRepository(mongo), clock, bus, cache);
    this.store = new MongoPlayStore(mongo, { outcomePatienceMs: 0 });
    this.doorbell = new Doorbell(redis, keys, { ringByMs: PROTOCOL_TIMES.ringByMs });
    const grants = new GrantCache(new GrantRepository(mongo), clock);
    bus.on('grants', (granteeId) => grants.forget(granteeId));
    const scope = new SystemScope('schedules of all companies are fired');
    this.schedules = new ScheduleFiringRepository(mongo, scope);
    const tell = rarely((fault, times) =>
      log.warn({ component: 'schedules', times, fault }, 'a schedule could not be fired; it is tried again'),
    );
    this.acceptance = new PlayAcceptance({
      ...{ settings, redis, keys, mongo, notices, log, tracing },
      onSkipped: (play) => figures.ended(play, 'SKIP', null),
      ...{ flows: this.flows, store: this.store, doorbell: this.doorbell, sandbox: this.sandbox },
    });
    this.firer = new ScheduleFirer({
      schedules: this.schedules,
      acceptance: this.acceptance,
      onBehalf: new OnBehalf({ flows: this.flows, members: new MemberSource(mongo), grants, clock }),
      onEnd: (flowId, state, durationMs) => this.count(flowId, state, durationMs),
      onFault: (schedule, cause) => tell({ schedule, cause }),
    });
    const onFault = warnRarely(log, 'schedules', 'a pass failed; the next one goes on');
    this.loops = [
      new PassLoop('schedules', PASS_EVERY_MS, () => this.firer.pass(), onFault),
      new PassLoop('next slots', LOOK_AHEAD_EVERY_MS, () => this.lookAhead(), onFault),
    ];
    metrics.beforeRead(() => this.showNext());
    jobs.add({ name: 'scheduler', everyMs: () => JOB_EVERY_MS, run: () => this.firer.pass().then(() => ({})) });
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  async drain(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
    await this.acceptance.settled();
    this.flows.close();
    this.store.close();
    await Promise.all([this.doorbell.close(), this.sandbox.close()]);
  }

  private count(flowId: string, state: PlayState, durationMs: number | null): void {
    if (state === 'SKIP') return; // turned away by the flow's condition: it was no run
    const seconds = durationMs === null ? null : durationMs / 1_000;
    this.metrics.scheduledRunEnded(flowId, state === 'FAIL' ? 'failure' : 'success', seconds);
  }

  private async lookAhead(): Promise<void> {
    const soonest = new Map<string, Date>();
    for (const { flow_id, nextSlot } of await this.schedules.soonest(MAX_FLOWS_SHOWN)) {
      if (nextSlot && !((soonest.get(flow_id) ?? nextSlot) < nextSlot)) soonest.set(flow_id, nextSlot);
    }
    this.soonest = soonest;
  }

  private showNext(): void {
    const now = this.mongo.serverNow();
    const until = [...this.soonest].map(
      ([flowId, slot]) => [flowId, Math.max(0, slot.getTime() - now) / 1_000] as const,
    );
    this.metrics.nextScheduledRuns(new Map(until));
  }
}
