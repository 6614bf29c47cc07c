import { Injectable } from '@nestjs/common';
import { Pass, sideBySide } from '@weft/process';
import { PLAY_LOOKS } from '@weft/store';
import { Destinations } from '../destinations/destinations.js';
import { Glance } from '../glance.js';
import { Schedules } from '../schedules/schedules.js';
import { QueueGauges } from './queue-gauges.js';

const PASS = 'figures';
/** By then a gauge shows also what no play has to do with: a worker that has come, a schedule that was made. */
const RESTS_FOR_MS = 30_000;

/** Keeps the gauges that have to be read from the stores. Each scheduler exports them. */
@Injectable()
export class Figures {
  constructor(
    private readonly queue: QueueGauges,
    private readonly destinations: Destinations,
    private readonly schedules: Schedules,
    glance: Glance,
  ) {
    glance.wake([PASS], (now) => [PLAY_LOOKS.inWork(), PLAY_LOOKS.due(now), PLAY_LOOKS.inQueues()]);
  }

  @Pass({ name: PASS, everyMs: 5_000, restMs: RESTS_FOR_MS })
  pass(): Promise<void> {
    return sideBySide({
      queue: () => this.queue.measure(),
      destinations: () => this.destinations.count(),
      'next slots': () => this.schedules.lookAhead(),
    });
  }
}
