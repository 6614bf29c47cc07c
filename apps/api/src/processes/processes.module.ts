import { Module } from '@nestjs/common';
import { ProcessesController } from './processes.controller.js';

@Module({ controllers: [ProcessesController] })
export class ProcessesModule {}
