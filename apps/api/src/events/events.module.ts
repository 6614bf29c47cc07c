import { Module } from '@nestjs/common';
import { Mongo, WaitingPlaysRepository } from '@weft/persistence';
import { RunModule } from '../run/run.module.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

/** Events from outside, for plays that wait for them. */
@Module({
  imports: [RunModule],
  controllers: [EventsController],
  providers: [
    {
      provide: WaitingPlaysRepository,
      useFactory: (mongo: Mongo) => new WaitingPlaysRepository(mongo),
      inject: [Mongo],
    },
    EventsService,
  ],
})
export class EventsModule {}
