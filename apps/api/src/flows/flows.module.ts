import { Module } from '@nestjs/common';
import { CLOCK, NEW_ID, SETTINGS } from '@weft/host';
import { IdentityModule } from '@weft/identity';
import { FlowRepository, FlowVersionRepository, Mongo } from '@weft/persistence';
import { LayersController } from '../layers/layers.controller.js';
import { LayersService } from '../layers/layers.service.js';
import { ModulesController } from '../modules/modules.controller.js';
import { BlueprintsController } from './blueprints/blueprints.controller.js';
import { BlueprintsService } from './blueprints/blueprints.service.js';
import { Enabling } from './enabling.js';
import { FlowCache } from './flow-cache.js';
import { FlowEditor } from './flow-editor.js';
import { FlowRights } from './flow-rights.js';
import { FlowsController } from './flows.controller.js';
import { FlowsService } from './flows.service.js';
import { VersionsController } from './versions/versions.controller.js';
import { VersionsService } from './versions/versions.service.js';

/** Flows, their layers, and the modules that layers use. The run path takes `FlowCache` and `FlowRights` from here. */
@Module({
  imports: [IdentityModule.with({ settings: SETTINGS, clock: CLOCK, newId: NEW_ID })],
  controllers: [FlowsController, LayersController, ModulesController, VersionsController, BlueprintsController],
  providers: [
    { provide: FlowRepository, useFactory: (mongo: Mongo) => new FlowRepository(mongo), inject: [Mongo] },
    { provide: FlowVersionRepository, useFactory: (mongo: Mongo) => new FlowVersionRepository(mongo), inject: [Mongo] },
    FlowCache,
    FlowRights,
    FlowEditor,
    Enabling,
    FlowsService,
    LayersService,
    VersionsService,
    BlueprintsService,
  ],
  exports: [FlowCache, FlowRights, FlowRepository],
})
export class FlowsModule {}
