import { Module } from '@nestjs/common';
import { FigureRepository, Mongo } from '@weft/persistence';
import { FlowsModule } from '../flows/flows.module.js';
import { QueueAdminModule } from '../queue-admin/queue-admin.module.js';
import { AnalyticsController } from './analytics.controller.js';
import { AnalyticsService } from './analytics.service.js';

@Module({
  imports: [FlowsModule, QueueAdminModule],
  controllers: [AnalyticsController],
  providers: [
    { provide: FigureRepository, inject: [Mongo], useFactory: (mongo: Mongo) => new FigureRepository(mongo) },
    AnalyticsService,
  ],
})
export class AnalyticsModule {}
