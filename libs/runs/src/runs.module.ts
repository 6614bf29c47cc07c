import { ProcessCache } from '@weft/concurrency';
import { Module, type DynamicModule, type FactoryProvider, type InjectionToken } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { AFTER_REQUESTS, CLOCK, type Clock, type Drainable } from '@weft/kernel';
import { LOG, Metrics, Tracing } from '@weft/observability';
import {
  ChildPlaysRepository,
  FlowGateRepository,
  LaneRepository,
  FlowRepository,
  Mongo,
  MongoPlayStore,
  OpenPlaysRepository,
  PayloadStore,
  WindowPlaysRepository,
} from '@weft/persistence';
import {
  Doorbell,
  FlowGatekeeper,
  LaneKeeper,
  LiveWorkers,
  WindowRoom,
  QueueInspector,
  AdmissionWindow,
  WindowRefiller,
} from '@weft/queue';
import { InvalidationBus, PlayNotices, PlaySignals } from '@weft/realtime-bus';
import { QueueKeys, REDIS, type Redis } from '@weft/redis';
import { Sandbox } from '@weft/sandbox';
import type { Logger } from 'pino';
import { FlowCache } from './flow-cache.js';
import { LoopNotifier } from './loop-notifier.js';
import { ParentNotifier } from './parent-notifier.js';
import { PlayAcceptance } from './play-acceptance.js';
import { PlayStats } from './play-stats.js';
import { openRunPath, type RunPath } from './run-path.js';
import { PlayChanges } from './play-changes.js';
import { PlayCommands } from './play-commands.js';

export type RunsOptions = Pick<Parameters<typeof openRunPath>[0], 'outcomePatienceMs'>;

const RUN_PATH = Symbol('RUN_PATH');

/** Closes what the run path holds open, after everything that uses it has drained. */
class RunPathShutdown implements Drainable {
  readonly drainOrder = AFTER_REQUESTS;

  constructor(
    private readonly runPath: RunPath,
    private readonly flows: FlowCache,
    private readonly sandbox: Sandbox,
  ) {}

  async drain(): Promise<void> {
    const { acceptance, store, doorbell, inspector } = this.runPath;
    await acceptance.settled();
    this.flows.close();
    store.close();
    await Promise.allSettled([doorbell.close(), inspector.close(), this.sandbox.close()]);
  }
}

/** Provides one part of the run path under its class. */
function part<Name extends keyof RunPath>(token: InjectionToken<RunPath[Name]>, name: Name): FactoryProvider {
  return { provide: token, inject: [RUN_PATH], useFactory: (runPath: RunPath) => runPath[name] };
}

/** Everything that accepts plays and rings for them, once in a process and for all its modules. */
@Module({})
export class RunsModule {
  static with({ outcomePatienceMs }: RunsOptions): DynamicModule {
    const parts = [
      part(QueueKeys, 'keys'),
      part(QueueInspector, 'inspector'),
      part(LiveWorkers, 'liveWorkers'),
      part(AdmissionWindow, 'window'),
      part(WindowRoom, 'windowRoom'),
      part(Doorbell, 'doorbell'),
      part(MongoPlayStore, 'store'),
      part(PayloadStore, 'payloads'),
      part(OpenPlaysRepository, 'plays'),
      part(WindowPlaysRepository, 'windowPlays'),
      part(FlowGateRepository, 'gates'),
      part(FlowGatekeeper, 'gatekeeper'),
      part(LaneRepository, 'lanes'),
      part(LaneKeeper, 'laneKeeper'),
      part(WindowRefiller, 'refiller'),
      part(PlayAcceptance, 'acceptance'),
      part(PlayChanges, 'changes'),
      part(PlayCommands, 'commands'),
      part(ParentNotifier, 'parents'),
      part(LoopNotifier, 'loops'),
    ];
    return {
      module: RunsModule,
      global: true,
      providers: [
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
        {
          provide: RUN_PATH,
          inject: [
            SETTINGS,
            REDIS,
            LOG,
            Mongo,
            FlowCache,
            PlayNotices,
            PlaySignals,
            ChildPlaysRepository,
            PlayStats,
            Metrics,
            Tracing,
            Sandbox,
          ],
          useFactory: (
            settings: Settings,
            redis: Redis,
            log: Logger,
            mongo: Mongo,
            flows: FlowCache,
            notices: PlayNotices,
            signals: PlaySignals,
            children: ChildPlaysRepository,
            figures: PlayStats,
            metrics: Metrics,
            tracing: Tracing,
            sandbox: Sandbox,
          ) =>
            openRunPath({
              ...{ settings, redis, log, mongo, flows, notices, signals, children, figures, metrics, tracing, sandbox },
              outcomePatienceMs,
            }),
        },
        {
          provide: RunPathShutdown,
          inject: [RUN_PATH, FlowCache, Sandbox],
          useFactory: (runPath: RunPath, flows: FlowCache, sandbox: Sandbox) =>
            new RunPathShutdown(runPath, flows, sandbox),
        },
        ...parts,
      ],
      exports: [Sandbox, FlowCache, ...parts.map(({ provide }) => provide)],
    };
  }
}
