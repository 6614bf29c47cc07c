import { Module } from '@nestjs/common';
import { FlowsModule } from '../flows/flows.module.js';
import { QueueAdminModule } from '../queue/queue-admin.module.js';
import { AnalyticsController } from './analytics.controller.js';
import { AnalyticsService } from './analytics.service.js';

@Module({
  imports: [FlowsModule, QueueAdminModule],
  controllers: [AnalyticsController],
  providers: [AnalyticsService],
})
export class AnalyticsModule {}
