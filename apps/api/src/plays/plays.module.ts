import { Module } from '@nestjs/common';
import { IdentityModule } from '@weft/identity';
import { Mongo, PayloadStore, PlayCommandsRepository } from '@weft/store';
import { FlowsModule } from '../flows/flows.module.js';
import { RunModule } from './run/run.module.js';
import { LayerInputService } from './layer-input/layer-input.service.js';
import { LoopItemsService } from './loop-items/loop-items.service.js';
import { PlayBulkChanges } from './play-bulk-changes.js';
import { PlayBulkService } from './play-bulk.service.js';
import { PlayCommander } from './play-commander.js';
import { PlayCommandsController } from './play-commands.controller.js';
import { PlayCommandsService } from './play-commands.service.js';
import { PlayErasureService } from './play-erasure.service.js';
import { PlayListsService } from './play-lists.service.js';
import { PlayRetriesController } from './play-retries.controller.js';
import { PlayRetriesService } from './play-retries.service.js';
import { PlayRights } from './play-rights.js';
import { FlowPlaysController, PlaysController } from './plays.controller.js';
import { WaitingService } from './waiting/waiting.service.js';
import { PlaysService } from './plays.service.js';

/** Reading plays and commands on them. */
@Module({
  imports: [IdentityModule, FlowsModule, RunModule],
  controllers: [PlayRetriesController, PlayCommandsController, PlaysController, FlowPlaysController],
  providers: [
    {
      provide: PlayCommandsRepository,
      useFactory: (mongo: Mongo, payloads: PayloadStore) => new PlayCommandsRepository(mongo, payloads),
      inject: [Mongo, PayloadStore],
    },
    PlayRights,
    PlaysService,
    LoopItemsService,
    LayerInputService,
    PlayListsService,
    WaitingService,
    PlayCommander,
    PlayCommandsService,
    PlayRetriesService,
    PlayBulkChanges,
    PlayBulkService,
    PlayErasureService,
  ],
  exports: [
    PlayRights,
    PlaysService,
    PlayListsService,
    WaitingService,
    PlayRetriesService,
    PlayCommander,
    PlayCommandsService,
    PlayBulkChanges,
    PlayBulkService,
    PlayCommandsRepository,
  ],
})
export class PlaysModule {}
