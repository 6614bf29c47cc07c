import { Module } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { REDIS, SETTINGS } from '@weft/host';
import { Mongo, OpenWorkRepository } from '@weft/persistence';
import { LiveWorkers, QueueInspector, QueueKeys, RunWindow } from '@weft/queue';
import type { Redis } from 'ioredis';
import { CompanyWorkReader } from './company-work.js';
import { QueueAdminController } from './queue-admin.controller.js';
import { QueueAdminService } from './queue-admin.service.js';

const ofQueue = { inject: [REDIS, QueueKeys] };

@Module({
  controllers: [QueueAdminController],
  providers: [
    {
      provide: QueueKeys,
      inject: [SETTINGS],
      useFactory: ({ queue }: Settings) => new QueueKeys(queue.prefix, queue.shards),
    },
    {
      provide: RunWindow,
      inject: [REDIS, QueueKeys, Mongo],
      useFactory: (redis: Redis, keys: QueueKeys, mongo: Mongo) =>
        new RunWindow(redis, keys, { serverNow: () => mongo.serverNow() }),
    },
    { provide: LiveWorkers, ...ofQueue, useFactory: (redis: Redis, keys: QueueKeys) => new LiveWorkers(redis, keys) },
    {
      provide: QueueInspector,
      ...ofQueue,
      useFactory: (redis: Redis, keys: QueueKeys) => new QueueInspector(redis, keys),
    },
    { provide: OpenWorkRepository, inject: [Mongo], useFactory: (mongo: Mongo) => new OpenWorkRepository(mongo) },
    CompanyWorkReader,
    QueueAdminService,
  ],
  exports: [CompanyWorkReader],
})
export class QueueAdminModule {}
