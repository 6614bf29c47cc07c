import { ProcessCache } from '@weft/concurrency';
import { Injectable, Module, type DynamicModule } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { AFTER_REQUESTS, CLOCK, type Clock, type Drainable } from '@weft/kernel';
import { MongoPlayStore } from '@weft/store';
import { FlowRepository } from '@weft/records';
import { Doorbell, QueueInspector } from '@weft/queue';
import { InvalidationBus } from '@weft/realtime-bus';
import { Sandbox } from '@weft/sandbox';
import { FlowCache } from './flow-cache.js';
import { PlayAcceptance } from './play-acceptance.js';
import { RUN_PATH, RUNS_OPTIONS, type RunsOptions } from './run-path.js';

/** Closes what the run path holds open, after everything that uses it has drained. */
@Injectable()
class RunPathShutdown implements Drainable {
  readonly drainOrder = AFTER_REQUESTS;

  constructor(
    private readonly acceptance: PlayAcceptance,
    private readonly store: MongoPlayStore,
    private readonly doorbell: Doorbell,
    private readonly inspector: QueueInspector,
    private readonly flows: FlowCache,
    private readonly sandbox: Sandbox,
  ) {}

  async drain(): Promise<void> {
    await this.acceptance.settled();
    this.flows.close();
    this.store.close();
    await Promise.allSettled([this.doorbell.close(), this.inspector.close(), this.sandbox.close()]);
  }
}

/** Everything that accepts plays and rings for them, once in a process and for all its modules. */
@Module({})
export class RunsModule {
  static with(options: RunsOptions): DynamicModule {
    const parts = [
      {
        provide: Sandbox,
        inject: [SETTINGS],
        useFactory: ({ sandbox }: Settings) => new Sandbox({ maxIdle: sandbox.processes }),
      },
      {
        provide: FlowCache,
        inject: [FlowRepository, CLOCK, InvalidationBus, ProcessCache],
        useFactory: (flows: FlowRepository, clock: Clock, bus: InvalidationBus, cache: ProcessCache) =>
          new FlowCache(flows, clock, bus, cache),
      },
      ...RUN_PATH,
    ];
    return {
      module: RunsModule,
      global: true,
      providers: [{ provide: RUNS_OPTIONS, useValue: options }, RunPathShutdown, ...parts],
      exports: parts.map(({ provide }) => provide),
    };
  }
}
