import type { Drainable } from '@weft/kernel';
import { PlayChanges, WindowSizes } from '@weft/runs';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PROTOCOL_TIMES, assertProtocolTimes } from '@weft/engine';
import { Metrics, warnRarely, LOG } from '@weft/observability';
import {
  AbandonedTransactions,
  Mongo,
  PLAY_LOOKS,
  OpenPlaysRepository,
  TurnRepository,
  WindowPlaysRepository,
  type QueueKey,
  type Reached,
} from '@weft/store';
import { Doorbell, QueueInspector, AdmissionWindow, TurnKeeper, WindowRefiller } from '@weft/queue';
import { Pass } from '@weft/process';
import { REDIS, type Redis } from '@weft/redis';
import type { Logger } from 'pino';
import { Glance, RESTS_FOR_MS } from './glance.js';
import { QueueWalk } from './queues/queue-walk.js';
import { Reconciler } from './reconcile/reconciler.js';
import { WindowKeeper } from './reconcile/window-keeper.js';

const EVERY_MS = 1_000;
/** So that only an answer that is late counts as a gap. */
const WATCH_OWNERS_EVERY_MS = PROTOCOL_TIMES.renewMs / 4;
/** With the time between two passes and between two renewals, less than a proof of ownership lasts: no lease is lost. */
const ABANDONED_AFTER_MS = PROTOCOL_TIMES.renewMs / 2;
/** Windows, and jobs that were given up, are looked at this often also when no play is in work. */
const QUEUE_RESTS_FOR_MS = 10_000;
/** Queues move without this walk, which finds what crashes leave: so the rate of its reads has a bound. */
const QUEUES_PER_PASS = 300;

/**
 * Heals plays: the reconciler, and in parallel the walk over the queues for turns (free turns that nobody gave, limits that were
 * changed). Both walk MongoDB; replicas need no leader.
 */
@Injectable()
export class PlayReconciler implements OnApplicationBootstrap, Drainable {
  /** Before `PassRunner` waits for the passes: they end after their page. */
  readonly drainOrder = -2;
  private readonly reconciler: Reconciler;
  private readonly queues: QueueWalk<QueueKey>;
  private readonly transactions: AbandonedTransactions;
  private readonly stopping = new AbortController();

  constructor(
    @Inject(LOG) log: Logger,
    @Inject(REDIS) private readonly redis: Redis,
    mongo: Mongo,
    private readonly metrics: Metrics,
    changes: PlayChanges,
    plays: OpenPlaysRepository,
    queue: QueueInspector,
    window: AdmissionWindow,
    sizes: WindowSizes,
    doorbell: Doorbell,
    turns: TurnRepository,
    keeper: TurnKeeper,
    refiller: WindowRefiller,
    windowPlays: WindowPlaysRepository,
    glance: Glance,
  ) {
    assertProtocolTimes(PROTOCOL_TIMES);
    const serverNow = () => mongo.serverNow();
    const windowSize = sizes.of;
    const onFault = (component: string, action: string) => {
      const tell = warnRarely(log, component, 'plays or a queue could not be healed; they are looked at again');
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
    keeper.onRefused((failed) => this.reconciler.writes.giveUp('turn', failed));
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
    this.transactions = new AbandonedTransactions(mongo, ABANDONED_AFTER_MS);
    const { inWork, due, outOfTime, tooLate, inQueues } = PLAY_LOOKS;
    glance.wake(['dead owners', 'abandoned transactions', 'lost rings', 'second looks', 'queue'], () => [inWork()]);
    // those that are due may wait for room in their windows
    glance.wake(['due times', 'queue'], (now) => [due(now)]);
    glance.wake(['due times'], (now) => [outOfTime(now), tooLate(now)]);
    glance.wake(['turns'], () => [inQueues()]);
    this.queues = new QueueWalk(
      (reached: Reached<QueueKey>) => turns.nextWithQueue(reached),
      (queue) => keeper.goOn(queue),
      onFault('turns', 'failed_queue'),
      { most: QUEUES_PER_PASS, select: (some) => turns.withoutOpenHolder(some) },
    );
  }

  onApplicationBootstrap(): void {
    this.redis.on('ready', () => this.reconciler.forgetSeen());
  }

  @Pass({ name: 'due times', everyMs: EVERY_MS, restMs: RESTS_FOR_MS })
  dueTimes(): Promise<void> {
    return this.reconciler.heal('due plays', 'time limits', 'too late');
  }

  @Pass({ name: 'dead owners', everyMs: WATCH_OWNERS_EVERY_MS, restMs: RESTS_FOR_MS })
  deadOwners(): Promise<void> {
    return this.reconciler.heal('dead owners');
  }

  @Pass({ name: 'abandoned transactions', everyMs: WATCH_OWNERS_EVERY_MS, restMs: QUEUE_RESTS_FOR_MS })
  async abandonedTransactions(): Promise<void> {
    const ended = await this.transactions.pass();
    if (ended > 0) this.metrics.reconcilerAction('end_transaction', ended);
  }

  @Pass({ name: 'queue', everyMs: EVERY_MS, restMs: QUEUE_RESTS_FOR_MS })
  queue(): Promise<void> {
    return this.reconciler.heal('generation of Redis', 'given-up jobs', 'windows');
  }

  @Pass({ name: 'members of windows', everyMs: 10_000 })
  membersOfWindows(): Promise<void> {
    return this.reconciler.heal('members of windows');
  }

  @Pass({ name: 'lost rings', everyMs: EVERY_MS, restMs: RESTS_FOR_MS })
  lostRings(): Promise<void> {
    return this.reconciler.heal('lost rings');
  }

  /** Makes no requests while there are no plays without jobs. */
  @Pass({ name: 'second looks', everyMs: 250, restMs: RESTS_FOR_MS })
  secondLooks(): Promise<void> {
    return this.reconciler.heal('second looks');
  }

  @Pass({ name: 'turns', everyMs: EVERY_MS, restMs: RESTS_FOR_MS })
  async turns(): Promise<void> {
    await this.queues.pass();
  }

  drain(): Promise<void> {
    this.stopping.abort();
    return Promise.resolve();
  }
}
