import { Module } from '@nestjs/common';
import { FlowsModule } from '../../flows/flows.module.js';
import { RunController } from './run.controller.js';
import { LaneRights } from './lane-rights.js';
import { RunOutcomes } from './run-outcomes.js';
import { RunService } from './run.service.js';
import { UploadedArgs } from './uploaded-args.js';

/** Where callers run flows. */
@Module({
  imports: [FlowsModule],
  controllers: [RunController],
  providers: [RunService, LaneRights, RunOutcomes, UploadedArgs],
  exports: [RunService, RunOutcomes, UploadedArgs],
})
export class RunModule {}
