import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Drainable } from '@weft/kernel';
import { LOG } from '@weft/observability';
import { Mongo } from '@weft/store';
import { JobRepository } from '@weft/records';
import { Pass, PassRunner } from '@weft/process';
import { InvalidationBus } from '@weft/realtime-bus';
import type { Logger } from 'pino';
import { Glance } from '../glance.js';
import type { JobDefinition } from './job-definition.js';
import { JobRunner } from './job-runner.js';

const PASS = 'jobs';
/** An interval that was changed at run time applies by then. */
const RESTS_FOR_MS = 10_000;
/** For how long a job does not run after the process that ran it died. */
const LEASE_MS = 30_000;

/** The background jobs of this process. Providers add their jobs in their constructors. */
@Injectable()
export class Jobs implements OnApplicationBootstrap, Drainable {
  private readonly runner: JobRunner;

  constructor(
    mongo: Mongo,
    @Inject(LOG) log: Logger,
    private readonly bus: InvalidationBus,
    private readonly passes: PassRunner,
    glance: Glance,
  ) {
    const store = new JobRepository(mongo);
    glance.wake([PASS], () => [store.look(this.runner.idleNames)]);
    this.runner = new JobRunner({
      store,
      leaseMs: LEASE_MS,
      onFault: (job, err) => log.error({ component: 'jobs', job, err }, 'a background job failed; it runs again'),
    });
  }

  add(job: JobDefinition): void {
    this.runner.add(job);
  }

  onApplicationBootstrap(): void {
    this.bus.on('job', () => this.passes.soon(PASS));
  }

  @Pass({ name: PASS, everyMs: 1_000, restMs: RESTS_FOR_MS })
  look(): Promise<void> {
    return this.runner.pass();
  }

  async drain(): Promise<void> {
    await this.runner.stop();
  }
}
