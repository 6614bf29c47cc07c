import { Module } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { CLOCK, NEW_ID, SETTINGS } from '@weft/host';
import { ApprovalLinks, IdentityModule, MemberSource } from '@weft/identity';
import { CompanyRepository, Mongo } from '@weft/persistence';
import { FlowsModule } from '../flows/flows.module.js';
import { PlaysModule } from '../plays/plays.module.js';
import { ApprovalDecisions } from './approval-decisions.service.js';
import { ApprovalLinksController } from './approval-links.controller.js';
import { ApprovalLinksService } from './approval-links.service.js';
import { ApprovalsController } from './approvals.controller.js';

/** Decisions that plays wait for, over the API and by link. */
@Module({
  imports: [IdentityModule.with({ settings: SETTINGS, clock: CLOCK, newId: NEW_ID }), FlowsModule, PlaysModule],
  controllers: [ApprovalsController, ApprovalLinksController],
  providers: [
    { provide: ApprovalLinks, useFactory: (settings: Settings) => new ApprovalLinks(settings), inject: [SETTINGS] },
    { provide: MemberSource, useFactory: (mongo: Mongo) => new MemberSource(mongo), inject: [Mongo] },
    { provide: CompanyRepository, useFactory: (mongo: Mongo) => new CompanyRepository(mongo), inject: [Mongo] },
    ApprovalDecisions,
    ApprovalLinksService,
  ],
})
export class ApprovalsModule {}
