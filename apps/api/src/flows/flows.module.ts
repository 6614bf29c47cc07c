import { Module } from '@nestjs/common';
import { FlowRepository, Mongo } from '@weft/persistence';
import { LayersController } from '../layers/layers.controller.js';
import { LayersService } from '../layers/layers.service.js';
import { ModulesController } from '../modules/modules.controller.js';
import { FlowCache } from './flow-cache.js';
import { FlowEditor } from './flow-editor.js';
import { FlowsController } from './flows.controller.js';
import { FlowsService } from './flows.service.js';

/** Flows, their layers, and the modules that layers use. The run path takes `FlowCache` from here. */
@Module({
  controllers: [FlowsController, LayersController, ModulesController],
  providers: [
    { provide: FlowRepository, useFactory: (mongo: Mongo) => new FlowRepository(mongo), inject: [Mongo] },
    FlowCache,
    FlowEditor,
    FlowsService,
    LayersService,
  ],
  exports: [FlowCache, FlowRepository],
})
export class FlowsModule {}
