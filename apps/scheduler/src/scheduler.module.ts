import { Module } from '@nestjs/common';
import { PlayReconciler } from './play-reconciler.js';

/** Work that no request asks for. */
@Module({ providers: [PlayReconciler] })
export class SchedulerModule {}
