import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { AFTER_REQUESTS, SETTINGS, type Drainable } from '@weft/host';
import { Sandbox } from '@weft/sandbox';

/** Where this process runs what users wrote: conditions of flows, dry runs, test cases. Nothing is started before the first. */
@Injectable()
export class DrainedSandbox extends Sandbox implements Drainable {
  readonly drainOrder = AFTER_REQUESTS;

  constructor(@Inject(SETTINGS) settings: Settings) {
    super({ kept: settings.sandbox.processes });
  }

  drain(): Promise<void> {
    return this.close();
  }
}
