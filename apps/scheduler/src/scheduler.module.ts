import { Module } from '@nestjs/common';
import { FlowGates } from './gate/flow-gates.js';
import { PlayReconciler } from './play-reconciler.js';

/** Work that no request asks for. */
@Module({ providers: [PlayReconciler, FlowGates] })
export class SchedulerModule {}
