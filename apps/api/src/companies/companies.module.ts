import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { PayloadsModule } from '../payloads/payloads.module.js';
import { CompaniesController } from './companies.controller.js';
import { CompaniesService } from './companies.service.js';
import { CompanyJobsController } from './company-jobs.controller.js';
import { CompanyJobsService } from './company-jobs.service.js';

@Module({
  imports: [AuthModule, PayloadsModule],
  controllers: [CompaniesController, CompanyJobsController],
  providers: [CompaniesService, CompanyJobsService],
})
export class CompaniesModule {}
