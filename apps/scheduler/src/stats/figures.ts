import { Injectable } from '@nestjs/common';
import { Pass, sideBySide } from '@weft/process';
import { Destinations } from '../destinations/destinations.js';
import { Schedules } from '../schedules/schedules.js';
import { QueueGauges } from './queue-gauges.js';

/** Keeps the gauges that have to be read from the stores. Each scheduler exports them. */
@Injectable()
export class Figures {
  constructor(
    private readonly queue: QueueGauges,
    private readonly destinations: Destinations,
    private readonly schedules: Schedules,
  ) {}

  @Pass({ name: 'figures', everyMs: 5_000 })
  pass(): Promise<void> {
    return sideBySide({
      queue: () => this.queue.measure(),
      destinations: () => this.destinations.count(),
      'next slots': () => this.schedules.lookAhead(),
    });
  }
}
