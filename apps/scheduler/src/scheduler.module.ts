import { Module } from '@nestjs/common';
import { FlowGates } from './gate/flow-gates.js';
import { PlayReconciler } from './play-reconciler.js';
import { TokenRefresher } from './token-refresher.js';

/** Work that no request asks for. */
@Module({ providers: [PlayReconciler, FlowGates, TokenRefresher] })
export class SchedulerModule {}
