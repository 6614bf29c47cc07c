import { Module } from '@nestjs/common';
import { PlayWorker } from './play-worker.js';

/** Executes plays; everything it needs comes from libs/host. */
@Module({ providers: [PlayWorker] })
export class WorkerModule {}
