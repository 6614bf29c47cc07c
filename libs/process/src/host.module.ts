import { ProcessCache } from '@weft/concurrency';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { HealthService, Metrics, Tracing, logModule, metricsModule, type Log, LOG } from '@weft/observability';
import { Mongo } from '@weft/store';
import { RecordsModule, RunTimeSettings } from '@weft/records';
import { InvalidationBus, LayerTries, PlayNotices, PlayProgress, PlaySignals } from '@weft/realtime-bus';
import { SETTINGS, type Settings } from '@weft/config';
import { CLOCK, NEW_ID, type Clock, type NewId } from '@weft/kernel';
import { REDIS, type Redis } from '@weft/redis';

import { PlayStats } from '@weft/runs';

/** What every process has before its own module is created. */
export interface HostValues {
  readonly settings: Settings;
  readonly runTime: RunTimeSettings;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly mongo: Mongo;
  readonly cache: ProcessCache;
  readonly redis: Redis;
  readonly metrics: Metrics;
  readonly invalidations: InvalidationBus;
  readonly notices: PlayNotices;
  readonly progress: PlayProgress;
  readonly signals: PlaySignals;
  readonly tries: LayerTries;
  readonly health: HealthService;
  readonly tracing: Tracing;
  readonly log: Log;
}

/** Provides everything that libs/process opened to all modules of a process, by class or by the token next to its type. */
@Module({})
export class HostModule {
  static forRoot(values: HostValues): DynamicModule {
    const providers: Provider[] = [
      { provide: SETTINGS, useValue: values.settings },
      { provide: RunTimeSettings, useValue: values.runTime },
      { provide: CLOCK, useValue: values.clock },
      { provide: NEW_ID, useValue: values.newId },
      { provide: REDIS, useValue: values.redis },
      { provide: LOG, useValue: values.log.pino },
      { provide: Mongo, useValue: values.mongo },
      { provide: ProcessCache, useValue: values.cache },
      { provide: Metrics, useValue: values.metrics },
      { provide: InvalidationBus, useValue: values.invalidations },
      { provide: PlayNotices, useValue: values.notices },
      { provide: PlayProgress, useValue: values.progress },
      { provide: PlaySignals, useValue: values.signals },
      { provide: LayerTries, useValue: values.tries },
      { provide: HealthService, useValue: values.health },
      { provide: PlayStats, useValue: new PlayStats(values.mongo, values.metrics, values.log.pino) },
      { provide: Tracing, useValue: values.tracing },
    ];
    return {
      module: HostModule,
      global: true,
      imports: [logModule(values.log.pino), metricsModule(values.metrics), RecordsModule],
      providers,
      exports: providers,
    };
  }
}
