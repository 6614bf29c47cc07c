import type { Drainable } from '@weft/kernel';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LoopNotifier, ParentNotifier } from '@weft/runs';
import { Metrics, warnRarely, LOG } from '@weft/observability';
import {
  ChildPlaysRepository,
  LoopChildrenRepository,
  Mongo,
  SystemScope,
  type LoopKey,
  type Reached,
} from '@weft/persistence';
import type { Logger } from 'pino';
import { QueueWalk } from '../gate/queue-walk.js';
import { PassLoop } from '../pass-loop.js';
import { PendingParentScan } from './pending-parent-scan.js';

const EVERY_MS = 1_000;
const LOOPS_PER_PASS = 200;
const ALL = new SystemScope('plays of all companies are looked at whose parents were not notified');

/**
 * Notifies plays that their child plays have ended, where the process that ended a child did not: the child was cancelled,
 * ran out of time or was reaped, or its worker died after its last write.
 */
@Injectable()
export class ChildEnds implements OnApplicationBootstrap, Drainable {
  private readonly loop: PassLoop;

  constructor(
    @Inject(LOG) log: Logger,
    metrics: Metrics,
    mongo: Mongo,
    children: ChildPlaysRepository,
    notifier: ParentNotifier,
    loopNotifier: LoopNotifier,
  ) {
    const onFault = warnRarely(log, 'children', 'could not notify parents of the ends of plays');
    const walk = new PendingParentScan({
      pending: (limit, except) => children.withParentPending(ALL, limit, except),
      notify: (child) => notifier.notify(child),
      onFault,
    });
    const marked = new LoopChildrenRepository(mongo);
    const loops = new QueueWalk(
      (reached: Reached<LoopKey>) => marked.nextWithEnds(ALL, reached),
      (loop) => loopNotifier.notify(loop),
      onFault,
      { most: LOOPS_PER_PASS },
    );
    const pass = async () => {
      this.count(metrics, await walk.pass());
      await loops.pass();
    };
    this.loop = new PassLoop('ends of children', EVERY_MS, pass, onFault);
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async drain(): Promise<void> {
    await this.loop.stop();
  }

  private count(metrics: Metrics, told: number): void {
    if (told > 0) metrics.reconcilerAction('tell_parent', told);
  }
}
