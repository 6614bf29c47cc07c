import { Module } from '@nestjs/common';
import { IdentityModule } from '@weft/identity';
import { EVENT_DELIVERY, EventDelivery, SCHEDULED_RUN_AUTHORIZER } from '@weft/runs';
import { PlaysModule } from '../plays/plays.module.js';
import { RunModule } from '../plays/run/run.module.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

/** Events from outside, for plays that wait for them. */
@Module({
  imports: [IdentityModule, PlaysModule, RunModule],
  controllers: [EventsController],
  providers: [SCHEDULED_RUN_AUTHORIZER, EVENT_DELIVERY, EventsService],
  exports: [EventDelivery],
})
export class EventsModule {}
