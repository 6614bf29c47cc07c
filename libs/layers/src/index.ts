export type { LayerContext, LayerModule } from './layer-module.js';
export { layerModules, moduleOf } from './registry.js';
export { readLayer, type LayerReading } from './layer-reading.js';
export { hintsOf, stageFaults, validateLayer } from './validate-layer.js';
export type { LayerPayloads } from './running/layer-payloads.js';
export { Unloaded } from './running/layer-call.js';
export type { IntegrationAnswer, IntegrationTokenSource } from './running/integration-tokens.js';
export { LayerRunner } from './running/layer-runner.js';
export { prepareVersion, type PreparedVersion } from './running/prepared-version.js';
/** @public until the API offers it */
export { dryRun, type DryRun, type DryRunLayer, type DryRunRequest } from './dry-run/dry-run.js';
