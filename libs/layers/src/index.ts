export type { LayerContext, LayerModule } from './layer-module.js';
export { layerModules, moduleOf } from './registry.js';
export { readLayer, type LayerReading } from './layer-reading.js';
export { hintsOf, stageFaults, validateLayer } from './validate-layer.js';
export type { LayerPayloads } from './running/layer-payloads.js';
export { Unloaded, type LayerCall } from './running/layer-call.js';
export { LayerRunner } from './running/layer-runner.js';
export { prepareVersion, type PreparedVersion } from './running/prepared-version.js';
export { dryRun, type DryRun, type DryRunLayer, type DryRunRequest } from './dry-run/dry-run.js';
