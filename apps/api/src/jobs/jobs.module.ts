import { Module } from '@nestjs/common';
import { JobRepository, Mongo } from '@weft/persistence';
import { JobsController } from './jobs.controller.js';
import { JobsService } from './jobs.service.js';

@Module({
  controllers: [JobsController],
  providers: [
    JobsService,
    { provide: JobRepository, inject: [Mongo], useFactory: (mongo: Mongo) => new JobRepository(mongo) },
  ],
})
export class JobsModule {}
