import { Module } from '@nestjs/common';
import { IdentityModule } from '@weft/identity';
import { FlowGroupEntry } from '../flow-groups/flow-group-entry.js';
import { LayersController } from './layers/layers.controller.js';
import { LayersService } from './layers/layers.service.js';
import { ModulesController } from '../modules/modules.controller.js';
import { BacktestController } from './backtest/backtest.controller.js';
import { BacktestsService } from './backtest/backtests.service.js';
import { EditedFlows } from './backtest/edited-flows.js';
import { PlayBacktests } from './backtest/play-backtests.js';
import { BlueprintsController } from './blueprints/blueprints.controller.js';
import { BlueprintsService } from './blueprints/blueprints.service.js';
import { ChecksController } from './checks.controller.js';
import { DocumentsController } from './documents/documents.controller.js';
import { PutDocumentsController } from './documents/put-documents.controller.js';
import { PutDocumentsService } from './documents/put-documents.service.js';
import { DocumentsService } from './documents/documents.service.js';
import { DryRuns } from './dry-run/dry-runs.service.js';
import { Destinations } from './destinations.js';
import { Enabling } from './enabling.js';
import { FlowEditor } from './flow-editor.js';
import { FlowFaces } from './flow-faces.js';
import { FlowViews } from './flow.view.js';
import { FlowRights } from './flow-rights.js';
import { NamedIds } from './named-ids.js';
import { ResourceKeys } from './keys/resource-keys.js';
import { LinkRights } from './link-rights.js';
import { FlowsController } from './flows.controller.js';
import { FlowsService } from './flows.service.js';
import { PublicationController } from './publication/publication.controller.js';
import { PublicationService } from './publication/publication.service.js';
import { SamplesController } from './samples/samples.controller.js';
import { SamplesService } from './samples/samples.service.js';
import { CaseRuns } from './test-cases/case-runs.js';
import { TestCasesController } from './test-cases/test-cases.controller.js';
import { TestCasesService } from './test-cases/test-cases.service.js';
import { LayerTriesController } from './tries/layer-tries.controller.js';
import { LayerTriesService } from './tries/layer-tries.service.js';
import { VersionRights } from './versions/version-rights.js';
import { VersionsController } from './versions/versions.controller.js';
import { VersionsService } from './versions/versions.service.js';

/** Flows, their layers, and the modules that layers use. The run path takes `FlowCache` and `FlowRights` from here. */
@Module({
  imports: [IdentityModule],
  controllers: [
    FlowsController,
    LayerTriesController,
    LayersController,
    ModulesController,
    VersionsController,
    PublicationController,
    BlueprintsController,
    DocumentsController,
    PutDocumentsController,
    TestCasesController,
    ChecksController,
    SamplesController,
    BacktestController,
  ],
  providers: [
    FlowRights,
    FlowGroupEntry,
    LinkRights,
    ResourceKeys,
    FlowFaces,
    FlowEditor,
    Destinations,
    NamedIds,
    FlowViews,
    Enabling,
    FlowsService,
    LayersService,
    VersionRights,
    VersionsService,
    PublicationService,
    BlueprintsService,
    DocumentsService,
    PutDocumentsService,
    DryRuns,
    SamplesService,
    LayerTriesService,
    CaseRuns,
    TestCasesService,
    EditedFlows,
    PlayBacktests,
    BacktestsService,
  ],
  exports: [
    FlowEditor,
    FlowRights,
    FlowViews,
    FlowsService,
    LinkRights,
    VersionRights,
    VersionsService,
    Enabling,
    DryRuns,
    LayerTriesService,
    SamplesService,
  ],
})
export class FlowsModule {}
