export { LayerFailure, type LayerContext, type LayerModule } from './layer-module.js';
