import { Module } from '@nestjs/common';
import { FlowGroupsController } from '../flow-groups/flow-groups.controller.js';
import { FlowGroupsService } from '../flow-groups/flow-groups.service.js';
import { FlowsModule } from '../flows/flows.module.js';
import { GrantsController } from './grants.controller.js';
import { GrantsService } from './grants.service.js';

/** Grants, and the flow groups that they can be on. */
@Module({
  imports: [FlowsModule],
  controllers: [GrantsController, FlowGroupsController],
  providers: [GrantsService, FlowGroupsService],
})
export class AccessModule {}
