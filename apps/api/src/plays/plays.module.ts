import { Module } from '@nestjs/common';
import {
  FlowVersionRepository,
  Mongo,
  PayloadStore,
  PlayCommandsRepository,
  PlayReadsRepository,
} from '@weft/persistence';
import { FlowsModule } from '../flows/flows.module.js';
import { RunModule } from '../run/run.module.js';
import { PlayBulkService } from './play-bulk.service.js';
import { PlayCommander } from './play-commander.js';
import { PlayCommandsController } from './play-commands.controller.js';
import { PlayCommandsService } from './play-commands.service.js';
import { PlayErasureService } from './play-erasure.service.js';
import { PlayRetriesController } from './play-retries.controller.js';
import { PlayRetriesService } from './play-retries.service.js';
import { PlayRights } from './play-rights.js';
import { FlowPlaysController, PlaysController } from './plays.controller.js';
import { PlaysService } from './plays.service.js';

/** What people and programs read of plays, and what they do with them. */
@Module({
  imports: [FlowsModule, RunModule],
  controllers: [PlayRetriesController, PlayCommandsController, PlaysController, FlowPlaysController],
  providers: [
    { provide: PlayReadsRepository, useFactory: (mongo: Mongo) => new PlayReadsRepository(mongo), inject: [Mongo] },
    { provide: FlowVersionRepository, useFactory: (mongo: Mongo) => new FlowVersionRepository(mongo), inject: [Mongo] },
    {
      provide: PlayCommandsRepository,
      useFactory: (mongo: Mongo, payloads: PayloadStore) => new PlayCommandsRepository(mongo, payloads),
      inject: [Mongo, PayloadStore],
    },
    PlayRights,
    PlaysService,
    PlayCommander,
    PlayCommandsService,
    PlayRetriesService,
    PlayBulkService,
    PlayErasureService,
  ],
  exports: [PlayRights, PlayCommander, PlayCommandsService, PlayReadsRepository],
})
export class PlaysModule {}
