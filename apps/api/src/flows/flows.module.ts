import { Module } from '@nestjs/common';
import { CLOCK, NEW_ID, SETTINGS } from '@weft/host';
import { IdentityModule } from '@weft/identity';
import { FlowRepository, Mongo } from '@weft/persistence';
import { LayersController } from '../layers/layers.controller.js';
import { LayersService } from '../layers/layers.service.js';
import { ModulesController } from '../modules/modules.controller.js';
import { FlowCache } from './flow-cache.js';
import { FlowEditor } from './flow-editor.js';
import { FlowRights } from './flow-rights.js';
import { FlowsController } from './flows.controller.js';
import { FlowsService } from './flows.service.js';

/** Flows, their layers, and the modules that layers use. The run path takes `FlowCache` and `FlowRights` from here. */
@Module({
  imports: [IdentityModule.with({ settings: SETTINGS, clock: CLOCK, newId: NEW_ID })],
  controllers: [FlowsController, LayersController, ModulesController],
  providers: [
    { provide: FlowRepository, useFactory: (mongo: Mongo) => new FlowRepository(mongo), inject: [Mongo] },
    FlowCache,
    FlowRights,
    FlowEditor,
    FlowsService,
    LayersService,
  ],
  exports: [FlowCache, FlowRights, FlowRepository],
})
export class FlowsModule {}
