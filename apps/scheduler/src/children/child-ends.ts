import { Inject, Injectable } from '@nestjs/common';
import { ParentNotifier } from '@weft/runs';
import { Metrics, warnRarely, LOG } from '@weft/observability';
import { ChildPlaysRepository, PLAY_LOOKS, SystemScope, type Reached, type StartingLayer } from '@weft/store';
import { Pass } from '@weft/process';
import type { Logger } from 'pino';
import { Glance, RESTS_FOR_MS } from '../glance.js';
import { QueueWalk } from '../queues/queue-walk.js';

const PASS = 'ends of children';
const LAYERS_PER_PASS = 200;
const ALL = new SystemScope('layers of all companies are looked at that wait for plays of which some have ended');

/**
 * Sets layers going whose plays have ended, where the process that ended a play, or let the layer wait, did not: it died after its
 * last write, or could not reach a store.
 */
@Injectable()
export class ChildEnds {
  private readonly layers: QueueWalk<StartingLayer>;

  constructor(
    @Inject(LOG) log: Logger,
    metrics: Metrics,
    children: ChildPlaysRepository,
    notifier: ParentNotifier,
    glance: Glance,
  ) {
    glance.wake([PASS], () => [PLAY_LOOKS.endsOfChildren()]);
    this.layers = new QueueWalk(
      (reached: Reached<StartingLayer>) => children.nextWithEnds(ALL, reached),
      async (layer) => {
        if (await notifier.notify(layer)) metrics.reconcilerAction('tell_parent');
      },
      warnRarely(log, 'children', 'could not notify parents of the ends of plays'),
      { most: LAYERS_PER_PASS },
    );
  }

  @Pass({ name: PASS, everyMs: 1_000, restMs: RESTS_FOR_MS })
  async pass(): Promise<void> {
    await this.layers.pass();
  }
}
