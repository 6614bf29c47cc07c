import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { AuditKeyRing } from '@weft/identity';
import { Mongo } from '@weft/store';
import { RetentionPlan } from '@weft/records';
import { RetentionPoliciesController } from './retention-policies.controller.js';
import { RetentionPoliciesService } from './retention-policies.service.js';
import { RetentionReportsService } from './retention-reports.service.js';

@Module({
  controllers: [RetentionPoliciesController],
  providers: [
    RetentionPoliciesService,
    RetentionReportsService,
    {
      provide: RetentionPlan,
      inject: [Mongo, SETTINGS],
      useFactory: (mongo: Mongo, { retention, secrets }: Settings) =>
        new RetentionPlan(mongo, { defaults: retention.defaults, auditKeys: new AuditKeyRing(mongo, secrets) }),
    },
  ],
})
export class RetentionModule {}
