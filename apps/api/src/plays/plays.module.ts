import { Module } from '@nestjs/common';
import { FlowVersionRepository, Mongo, PayloadStore, PlayReadsRepository } from '@weft/persistence';
import { FlowsModule } from '../flows/flows.module.js';
import { RunModule } from '../run/run.module.js';
import { PlayCommandsService } from './play-commands.service.js';
import { FlowPlaysController, PlaysController } from './plays.controller.js';
import { PlaysService } from './plays.service.js';

/** What people and programs read of plays. */
@Module({
  imports: [FlowsModule, RunModule],
  controllers: [PlaysController, FlowPlaysController],
  providers: [
    { provide: PlayReadsRepository, useFactory: (mongo: Mongo) => new PlayReadsRepository(mongo), inject: [Mongo] },
    { provide: FlowVersionRepository, useFactory: (mongo: Mongo) => new FlowVersionRepository(mongo), inject: [Mongo] },
    { provide: PayloadStore, useFactory: (mongo: Mongo) => new PayloadStore(mongo), inject: [Mongo] },
    PlaysService,
    PlayCommandsService,
  ],
})
export class PlaysModule {}
