import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { ApprovalLinks, IdentityModule } from '@weft/identity';
import { FlowsModule } from '../flows/flows.module.js';
import { PlaysModule } from '../plays/plays.module.js';
import { ApprovalInboxController } from './approval-inbox.controller.js';
import { ApprovalInboxService } from './approval-inbox.service.js';
import { ApprovalDecisions } from './approval-decisions.service.js';
import { ApprovalLinksController } from './approval-links.controller.js';
import { ApprovalLinksService } from './approval-links.service.js';
import { ApprovalsController } from './approvals.controller.js';

/** Decisions that plays wait for, over the API and by link. */
@Module({
  imports: [IdentityModule, FlowsModule, PlaysModule],
  controllers: [ApprovalInboxController, ApprovalsController, ApprovalLinksController],
  providers: [
    { provide: ApprovalLinks, useFactory: (settings: Settings) => new ApprovalLinks(settings), inject: [SETTINGS] },
    ApprovalDecisions,
    ApprovalInboxService,
    ApprovalLinksService,
  ],
  exports: [ApprovalDecisions],
})
export class ApprovalsModule {}
