import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ParentTeller } from '@weft/acceptance';
import type { Settings } from '@weft/config';
import { PROTOCOL_TIMES } from '@weft/engine';
import { LOG, REDIS, SETTINGS, type Drainable } from '@weft/host';
import { Metrics, warnRarely } from '@weft/observability';
import { ChildPlaysRepository, Mongo, MongoPlayStore, SystemScope } from '@weft/persistence';
import { Doorbell, Places, QueueKeys } from '@weft/queue';
import { PlayNotices, PlaySignals } from '@weft/realtime-bus';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { PassLoop } from '../pass-loop.js';
import { UntoldWalk } from './untold-walk.js';

const EVERY_MS = 1_000;

/**
 * Tells plays that the ones they wait for have ended, where whoever ended them did not: they were cancelled, ran out of time or
 * were reaped, or their worker died after their last write.
 */
@Injectable()
export class ChildEnds implements OnApplicationBootstrap, Drainable {
  private readonly scope = new SystemScope('plays of all companies are told that others have ended');
  private readonly children: ChildPlaysRepository;
  private readonly store: MongoPlayStore;
  private readonly doorbell: Doorbell;
  private readonly loop: PassLoop;

  constructor(
    @Inject(SETTINGS) { queue, run }: Settings,
    @Inject(REDIS) redis: Redis,
    @Inject(LOG) log: Logger,
    mongo: Mongo,
    metrics: Metrics,
    notices: PlayNotices,
    signals: PlaySignals,
  ) {
    this.children = new ChildPlaysRepository(mongo);
    this.store = new MongoPlayStore(mongo, { outcomePatienceMs: 0 });
    const keys = new QueueKeys(queue.prefix, queue.shards);
    this.doorbell = new Doorbell(redis, keys, { ringByMs: PROTOCOL_TIMES.ringByMs });
    const places = Places.open(redis, keys, { fixed: run.window, serverNow: () => mongo.serverNow() });
    const { children, store, scope, doorbell } = this;
    const teller = new ParentTeller({ mongo, store, children, scope, doorbell, places, notices, signals });
    const onFault = warnRarely(log, 'children', 'could not notify parents of the ends of plays');
    const walk = new UntoldWalk({
      untold: (limit, except) => children.untold(scope, limit, except),
      tell: (child) => teller.tell(child),
      onFault,
    });
    this.loop = new PassLoop('ends of children', EVERY_MS, async () => this.count(metrics, await walk.pass()), onFault);
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async drain(): Promise<void> {
    await this.loop.stop();
    this.store.close();
    await this.doorbell.close();
  }

  private count(metrics: Metrics, told: number): void {
    if (told > 0) metrics.reconcilerAction('tell_parent', told);
  }
}
