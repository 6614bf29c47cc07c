import { Module } from '@nestjs/common';
import { FlowCache, PlayAcceptance, UNRUNG } from '@weft/acceptance';
import type { Settings } from '@weft/config';
import { PROTOCOL_TIMES } from '@weft/engine';
import { LOG, observePayloads, PlayFigures, REDIS, SETTINGS } from '@weft/host';
import { Metrics, Tracing, warnRarely } from '@weft/observability';
import { Mongo, MongoPlayStore, PayloadStore } from '@weft/persistence';
import { Doorbell, Places, QueueKeys, type DoorbellOptions } from '@weft/queue';
import { PlayNotices } from '@weft/realtime-bus';
import { Sandbox } from '@weft/sandbox';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { FlowsModule } from '../flows/flows.module.js';
import { RunController } from './run.controller.js';
import { RunOutcomes } from './run-outcomes.js';
import { RunService } from './run.service.js';

/** Where runs are accepted. Whatever else writes plays or rings for them takes the store and the doorbell from here. */
@Module({
  imports: [FlowsModule],
  controllers: [RunController],
  providers: [
    {
      provide: QueueKeys,
      inject: [SETTINGS],
      useFactory: ({ queue }: Settings) => new QueueKeys(queue.prefix, queue.shards),
    },
    {
      provide: MongoPlayStore,
      inject: [Mongo, Metrics],
      useFactory: (mongo: Mongo, metrics: Metrics) =>
        new MongoPlayStore(mongo, {
          outcomePatienceMs: 0,
          onBatch: (operation, size, seconds) => operation === 'accept' && metrics.runsAccepted(size, seconds),
        }),
    },
    {
      provide: Doorbell,
      inject: [REDIS, QueueKeys, LOG],
      useFactory: (redis: Redis, keys: QueueKeys, log: Logger) => new Doorbell(redis, keys, ringOptions(log)),
    },
    {
      provide: Places,
      inject: [SETTINGS, REDIS, QueueKeys, Mongo],
      useFactory: ({ run }: Settings, redis: Redis, keys: QueueKeys, mongo: Mongo) =>
        Places.open(redis, keys, { fixed: run.window, serverNow: () => mongo.serverNow() }),
    },
    {
      provide: PayloadStore,
      inject: [Mongo, Metrics, LOG],
      useFactory: (mongo: Mongo, metrics: Metrics, log: Logger) =>
        new PayloadStore(mongo, { onWritten: observePayloads(metrics, log) }),
    },
    {
      provide: PlayAcceptance,
      inject: [
        SETTINGS,
        REDIS,
        LOG,
        QueueKeys,
        Mongo,
        FlowCache,
        MongoPlayStore,
        Doorbell,
        PlayNotices,
        Sandbox,
        PayloadStore,
        PlayFigures,
        Tracing,
      ],
      useFactory: (
        settings: Settings,
        redis: Redis,
        log: Logger,
        keys: QueueKeys,
        mongo: Mongo,
        flows: FlowCache,
        store: MongoPlayStore,
        doorbell: Doorbell,
        notices: PlayNotices,
        sandbox: Sandbox,
        payloads: PayloadStore,
        figures: PlayFigures,
        tracing: Tracing,
      ) =>
        new PlayAcceptance({
          ...{ settings, redis, keys, mongo, flows, store, doorbell, notices, log, sandbox, payloads, tracing },
          onSkipped: (play) => figures.ended(play, 'SKIP', null),
        }),
    },
    RunService,
    RunOutcomes,
  ],
  exports: [MongoPlayStore, Doorbell, Places, PayloadStore, PlayAcceptance, RunService],
})
export class RunModule {}

function ringOptions(log: Logger): DoorbellOptions {
  const tell = warnRarely(log, 'run', UNRUNG);
  return { ringByMs: PROTOCOL_TIMES.ringByMs, onDropped: (plays, cause) => tell(cause, plays) };
}
