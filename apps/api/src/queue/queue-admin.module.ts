import { Module } from '@nestjs/common';
import { CompanyWorkReader } from './company-work.js';
import { QueueAdminController } from './queue-admin.controller.js';
import { QueueAdminService } from './queue-admin.service.js';

@Module({
  controllers: [QueueAdminController],
  providers: [CompanyWorkReader, QueueAdminService],
  exports: [CompanyWorkReader],
})
export class QueueAdminModule {}
