import { Module } from '@nestjs/common';
import { FlowCache, OnBehalf } from '@weft/acceptance';
import { CLOCK, NEW_ID, SETTINGS } from '@weft/host';
import { GrantCache, IdentityModule, MemberSource } from '@weft/identity';
import type { Clock } from '@weft/kernel';
import { Mongo, ScheduleRepository } from '@weft/persistence';
import { FlowsModule } from '../flows/flows.module.js';
import { RunModule } from '../run/run.module.js';
import { SchedulerController } from './scheduler.controller.js';
import { SchedulesService } from './schedules.service.js';

/** Flows that run at times: what users say of them. `apps/scheduler` fires them. */
@Module({
  imports: [IdentityModule.with({ settings: SETTINGS, clock: CLOCK, newId: NEW_ID }), FlowsModule, RunModule],
  controllers: [SchedulerController],
  providers: [
    { provide: ScheduleRepository, inject: [Mongo], useFactory: (mongo: Mongo) => new ScheduleRepository(mongo) },
    {
      provide: OnBehalf,
      inject: [Mongo, FlowCache, GrantCache, CLOCK],
      useFactory: (mongo: Mongo, flows: FlowCache, grants: GrantCache, clock: Clock) =>
        new OnBehalf({ flows, grants, clock, members: new MemberSource(mongo) }),
    },
    SchedulesService,
  ],
})
export class SchedulerModule {}
