import { Module } from '@nestjs/common';
import { PlaysModule } from '../plays/plays.module.js';
import { RunModule } from '../plays/run/run.module.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

/** Events from outside, for plays that wait for them. */
@Module({
  imports: [PlaysModule, RunModule],
  controllers: [EventsController],
  providers: [EventsService],
})
export class EventsModule {}
