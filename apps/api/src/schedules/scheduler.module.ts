import { Module } from '@nestjs/common';
import { SCHEDULED_RUN_AUTHORIZER } from '@weft/runs';
import { IdentityModule } from '@weft/identity';
import { FlowsModule } from '../flows/flows.module.js';
import { RunModule } from '../plays/run/run.module.js';
import { SchedulerController } from './scheduler.controller.js';
import { SchedulesService } from './schedules.service.js';

/** Manages schedules. `apps/scheduler` fires them. */
@Module({
  imports: [IdentityModule, FlowsModule, RunModule],
  controllers: [SchedulerController],
  providers: [SCHEDULED_RUN_AUTHORIZER, SchedulesService],
})
export class SchedulerModule {}
