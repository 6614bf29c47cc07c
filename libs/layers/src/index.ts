export { LayerFailure, type LayerContext, type LayerModule } from './layer-module.js';
export { layerModules, moduleOf } from './registry.js';
export { validateArgs, type ArgsReport } from './validate-args.js';
