import { Module } from '@nestjs/common';
import { Jobs } from './jobs/jobs.js';
import { PlayReconciler } from './play-reconciler.js';
import { RetentionJob } from './retention/retention-job.js';
import { TokenRefresher } from './token-refresher.js';

/** Work that no request asks for. */
@Module({ providers: [Jobs, PlayReconciler, RetentionJob, TokenRefresher] })
export class SchedulerModule {}
