import { Module } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { SETTINGS } from '@weft/host';
import { AuditKeyRing } from '@weft/identity';
import {
  FlowGroupRepository,
  FlowRepository,
  JobRepository,
  Mongo,
  RetentionPlan,
  RetentionPolicyRepository,
} from '@weft/persistence';
import { RetentionPoliciesController } from './retention-policies.controller.js';
import { RetentionPoliciesService } from './retention-policies.service.js';
import { RetentionReportsService } from './retention-reports.service.js';

@Module({
  controllers: [RetentionPoliciesController],
  providers: [
    RetentionPoliciesService,
    RetentionReportsService,
    ...[FlowGroupRepository, FlowRepository, JobRepository, RetentionPolicyRepository].map((Repository) => ({
      provide: Repository,
      inject: [Mongo],
      useFactory: (mongo: Mongo) => new Repository(mongo),
    })),
    {
      provide: RetentionPlan,
      inject: [Mongo, SETTINGS],
      useFactory: (mongo: Mongo, { retention, secrets }: Settings) =>
        new RetentionPlan(mongo, { defaults: retention.defaults, auditKeys: new AuditKeyRing(mongo, secrets) }),
    },
  ],
})
export class RetentionModule {}
