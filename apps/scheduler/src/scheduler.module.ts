import { Module } from '@nestjs/common';
import { PlayReconciler } from './play-reconciler.js';
import { TokenRefresher } from './token-refresher.js';

/** Work that no request asks for. */
@Module({ providers: [PlayReconciler, TokenRefresher] })
export class SchedulerModule {}
