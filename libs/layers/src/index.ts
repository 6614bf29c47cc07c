export type { LayerContext, LayerModule } from './layer-module.js';
export { layerModules, moduleOf } from './registry.js';
export { validateArgs, type ArgsReport } from './validate-args.js';
export type { LayerPayloads } from './running/layer-payloads.js';
export { LayerRunner, Unloaded } from './running/layer-runner.js';
export { prepareVersion, type PreparedVersion } from './running/prepared-version.js';
