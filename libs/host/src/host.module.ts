import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { HealthService, Metrics, Tracing, logModule, metricsModule, type Log } from '@weft/observability';
import { Mongo, ProcessCache, RunTimeSettings } from '@weft/persistence';
import { InvalidationBus, PlayNotices, PlayProgress, PlaySignals, type BusRedis } from '@weft/realtime-bus';
import type { Settings } from '@weft/config';
import type { Clock, NewId } from '@weft/kernel';

import { PlayFigures } from './play-figures.js';
import { CLOCK, LOG, NEW_ID, REDIS, SETTINGS } from './tokens.js';

/** What every process has before its own module is made. */
export interface HostValues {
  readonly settings: Settings;
  readonly runTime: RunTimeSettings;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly mongo: Mongo;
  readonly cache: ProcessCache;
  readonly redis: BusRedis;
  readonly metrics: Metrics;
  readonly invalidations: InvalidationBus;
  readonly notices: PlayNotices;
  readonly progress: PlayProgress;
  readonly signals: PlaySignals;
  readonly health: HealthService;
  readonly tracing: Tracing;
  readonly log: Log;
}

/** Gives every module of a process the things that libs/host opened, under the tokens of `tokens.ts` and their classes. */
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
      { provide: HealthService, useValue: values.health },
      { provide: PlayFigures, useValue: new PlayFigures(values.mongo, values.metrics, values.log.pino) },
      { provide: Tracing, useValue: values.tracing },
    ];
    return {
      module: HostModule,
      global: true,
      imports: [logModule(values.log.pino), metricsModule(values.metrics)],
      providers,
      exports: providers,
    };
  }
}
