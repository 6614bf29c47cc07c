import type { Drainable } from '@weft/kernel';
import { PlayChanges } from '@weft/runs';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PROTOCOL_TIMES, assertProtocolTimes } from '@weft/engine';
import { Metrics, warnRarely, LOG } from '@weft/observability';
import {
  LaneRepository,
  type FlowKey,
  type LaneKey,
  Mongo,
  OpenPlaysRepository,
  type Reached,
  WindowPlaysRepository,
} from '@weft/persistence';
import {
  Doorbell,
  FlowGatekeeper,
  LaneKeeper,
  LiveWorkers,
  QueueInspector,
  AdmissionWindow,
  WindowRefiller,
} from '@weft/queue';
import { Pass, sideBySide } from '@weft/process';
import { REDIS, type Redis } from '@weft/redis';
import type { Logger } from 'pino';
import { QueueWalk } from './gate/queue-walk.js';
import { Reconciler } from './reconcile/reconciler.js';
import { WindowKeeper } from './reconcile/window-keeper.js';

const EVERY_MS = 1_000;
/** So that only an answer that is late counts as a gap. */
const WATCH_OWNERS_EVERY_MS = PROTOCOL_TIMES.renewMs / 4;
/** Of gates, and of lanes. Queues move without these walks, which find what crashes leave: so the rate of their reads has a bound. */
const QUEUES_PER_PASS = 200;

/**
 * Heals plays: the reconciler, and in parallel the walk over the gates of flows
 * with a concurrency limit (admissions of plays that ended without a release, plays that queued and were not admitted,
 * limits that were changed), and the walk over the lanes with a queue. All walk MongoDB; replicas need no leader.
 */
@Injectable()
export class PlayReconciler implements OnApplicationBootstrap, Drainable {
  /** Before `PassRunner` waits for the passes: they end after their page. */
  readonly drainOrder = -2;
  private readonly reconciler: Reconciler;
  private readonly gates: QueueWalk<FlowKey>;
  private readonly lanes: QueueWalk<LaneKey>;
  private readonly stopping = new AbortController();

  constructor(
    @Inject(LOG) log: Logger,
    @Inject(REDIS) private readonly redis: Redis,
    mongo: Mongo,
    metrics: Metrics,
    changes: PlayChanges,
    plays: OpenPlaysRepository,
    queue: QueueInspector,
    window: AdmissionWindow,
    liveWorkers: LiveWorkers,
    doorbell: Doorbell,
    gatekeeper: FlowGatekeeper,
    lanes: LaneRepository,
    laneKeeper: LaneKeeper,
    refiller: WindowRefiller,
    windowPlays: WindowPlaysRepository,
  ) {
    assertProtocolTimes(PROTOCOL_TIMES);
    const serverNow = () => mongo.serverNow();
    const windowSize = () => liveWorkers.windowSize();
    const onFault = (component: string, action: string) => {
      const tell = warnRarely(log, component, 'a pass failed; it goes on where it was');
      return (error: unknown) => {
        metrics.reconcilerAction(action);
        tell(error);
      };
    };
    refiller.watchedBy({
      // a refill continues whatever becomes of them: they rest, or have ended
      onRefused: (failed) => this.reconciler.writes.giveUp('due', failed).catch(onFault('due', 'failed_pass')),
      onRefill: (rung) => rung > 0 && metrics.reconcilerAction('refill', rung),
    });
    gatekeeper.onRefused((failed) => this.reconciler.writes.giveUp('admit', failed));
    laneKeeper.onRefused((failed) => this.reconciler.writes.giveUp('lane', failed));
    this.reconciler = new Reconciler({
      plays,
      queue,
      doorbell,
      windows: new WindowKeeper({ window, refiller, doorbell, plays, windowPlays, windowSize }),
      ...{ window, windowSize },
      times: PROTOCOL_TIMES,
      serverNow,
      changes,
      count: (action, count) => metrics.reconcilerAction(action, count),
      log,
      stopping: this.stopping.signal,
    });
    this.gates = new QueueWalk(
      (reached: Reached<FlowKey>) => plays.nextWithQueue(reached),
      (flow) => gatekeeper.heal(flow),
      onFault('gates', 'failed_gate'),
      { most: QUEUES_PER_PASS },
    );
    this.lanes = new QueueWalk(
      (reached: Reached<LaneKey>) => lanes.nextWithQueue(reached),
      (lane) => laneKeeper.goOn(lane),
      onFault('lanes', 'failed_lane'),
      { most: QUEUES_PER_PASS, select: (some) => lanes.withoutOpenHolder(some) },
    );
  }

  onApplicationBootstrap(): void {
    this.redis.on('ready', () => this.reconciler.forgetSeen());
  }

  @Pass({ name: 'due times', everyMs: EVERY_MS })
  dueTimes(): Promise<void> {
    return this.reconciler.heal('due plays', 'time limits', 'too late');
  }

  @Pass({ name: 'dead owners', everyMs: WATCH_OWNERS_EVERY_MS })
  deadOwners(): Promise<void> {
    return this.reconciler.heal('dead owners');
  }

  @Pass({ name: 'queue', everyMs: EVERY_MS })
  queue(): Promise<void> {
    return this.reconciler.heal('generation of Redis', 'given-up jobs', 'members of windows', 'windows');
  }

  @Pass({ name: 'lost rings', everyMs: EVERY_MS })
  lostRings(): Promise<void> {
    return this.reconciler.heal('lost rings');
  }

  /** Makes no requests while there are no plays without jobs. */
  @Pass({ name: 'second looks', everyMs: 250 })
  secondLooks(): Promise<void> {
    return this.reconciler.heal('second looks');
  }

  @Pass({ name: 'turns', everyMs: EVERY_MS })
  turns(): Promise<void> {
    return sideBySide({ gates: () => this.gates.pass(), lanes: () => this.lanes.pass() });
  }

  drain(): Promise<void> {
    this.stopping.abort();
    return Promise.resolve();
  }
}
