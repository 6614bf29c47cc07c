import { Module } from '@nestjs/common';
import { FlowsModule } from '../flows/flows.module.js';
import { RunController } from './run.controller.js';
import { RunService } from './run.service.js';

@Module({ imports: [FlowsModule], controllers: [RunController], providers: [RunService] })
export class RunModule {}
