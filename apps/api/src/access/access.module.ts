import { Module } from '@nestjs/common';
import { FlowGroupRepository, GrantRepository, GrantSubjects, Mongo } from '@weft/persistence';
import { FlowGroupsController } from '../flow-groups/flow-groups.controller.js';
import { FlowGroupsService } from '../flow-groups/flow-groups.service.js';
import { FlowsModule } from '../flows/flows.module.js';
import { GrantsController } from './grants.controller.js';
import { GrantsService } from './grants.service.js';

/** Grants, and the flow groups that they can be on. */
@Module({
  imports: [FlowsModule],
  controllers: [GrantsController, FlowGroupsController],
  providers: [
    { provide: GrantRepository, useFactory: (mongo: Mongo) => new GrantRepository(mongo), inject: [Mongo] },
    { provide: GrantSubjects, useFactory: (mongo: Mongo) => new GrantSubjects(mongo), inject: [Mongo] },
    { provide: FlowGroupRepository, useFactory: (mongo: Mongo) => new FlowGroupRepository(mongo), inject: [Mongo] },
    GrantsService,
    FlowGroupsService,
  ],
})
export class AccessModule {}
