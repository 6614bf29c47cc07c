import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NEW_ID, type NewId, type Drainable } from '@weft/kernel';
import { warnRarely, LOG } from '@weft/observability';
import { JobRepository, Mongo } from '@weft/persistence';
import { InvalidationBus } from '@weft/realtime-bus';
import type { Logger } from 'pino';
import { PassLoop } from '../pass-loop.js';
import type { JobDefinition } from './job-definition.js';
import { JobRunner } from './job-runner.js';

const LOOK_EVERY_MS = 1_000;
/** For how long a job does not run after the process that ran it died. */
const LEASE_MS = 30_000;

/** The background jobs of this process. Providers add their jobs in their constructors. */
@Injectable()
export class Jobs implements OnApplicationBootstrap, Drainable {
  private readonly runner: JobRunner;
  private readonly loop: PassLoop;

  constructor(
    mongo: Mongo,
    @Inject(NEW_ID) newId: NewId,
    @Inject(LOG) log: Logger,
    private readonly bus: InvalidationBus,
  ) {
    this.runner = new JobRunner({
      store: new JobRepository(mongo),
      owner: newId(),
      leaseMs: LEASE_MS,
      onFault: (job, err) => log.error({ component: 'jobs', job, err }, 'a background job failed; it runs again'),
    });
    const tell = warnRarely(log, 'jobs', 'the background jobs could not be looked at');
    this.loop = new PassLoop('jobs', LOOK_EVERY_MS, () => this.runner.pass(), tell, Number.POSITIVE_INFINITY);
  }

  add(job: JobDefinition): void {
    this.runner.add(job);
  }

  onApplicationBootstrap(): void {
    this.bus.on('job', () => this.loop.soon());
    this.loop.start();
  }

  async drain(): Promise<void> {
    await this.loop.stop();
    await this.runner.stop();
  }
}
