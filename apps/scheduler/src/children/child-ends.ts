import { Inject, Injectable } from '@nestjs/common';
import { LoopNotifier, ParentNotifier } from '@weft/runs';
import { Metrics, warnRarely, LOG } from '@weft/observability';
import {
  ChildPlaysRepository,
  LoopChildrenRepository,
  Mongo,
  SystemScope,
  type LoopKey,
  type Reached,
} from '@weft/store';
import { Pass } from '@weft/process';
import type { Logger } from 'pino';
import { QueueWalk } from '../queues/queue-walk.js';
import { PendingParentScan } from './pending-parent-scan.js';

const LOOPS_PER_PASS = 200;
const ALL = new SystemScope('plays of all companies are looked at whose parents were not notified');

/**
 * Notifies plays that their child plays have ended, where the process that ended a child did not: the child was cancelled,
 * ran out of time or was reaped, or its worker died after its last write.
 */
@Injectable()
export class ChildEnds {
  private readonly walk: PendingParentScan;
  private readonly loops: QueueWalk<LoopKey>;

  constructor(
    @Inject(LOG) log: Logger,
    private readonly metrics: Metrics,
    mongo: Mongo,
    children: ChildPlaysRepository,
    notifier: ParentNotifier,
    loopNotifier: LoopNotifier,
  ) {
    const onFault = warnRarely(log, 'children', 'could not notify parents of the ends of plays');
    this.walk = new PendingParentScan({
      pending: (limit, except) => children.withParentPending(ALL, limit, except),
      notify: (child) => notifier.notify(child),
      onFault,
    });
    const marked = new LoopChildrenRepository(mongo);
    this.loops = new QueueWalk(
      (reached: Reached<LoopKey>) => marked.nextWithEnds(ALL, reached),
      (loop) => loopNotifier.notify(loop),
      onFault,
      { most: LOOPS_PER_PASS },
    );
  }

  @Pass({ name: 'ends of children', everyMs: 1_000 })
  async pass(): Promise<void> {
    const told = await this.walk.pass();
    if (told > 0) this.metrics.reconcilerAction('tell_parent', told);
    await this.loops.pass();
  }
}
