export { checkConnection, tryRequest, type EgressClients } from './check-connection.js';
export { sendNotice } from './email/send-notice.js';
export { LayerFailure } from './layer-module.js';
export type { AiUsage, LayerContext, LayerModule, PlayEnd, StartPlayRequest } from './layer-module.js';
export type { PlaysSource } from './running/plays-source.js';
export { layerModules, moduleOf } from './registry.js';
export { issueTexts } from './issue-text.js';
export { publishedSchema } from './published-schema.js';
export { destinationsOf, readLayer, type LayerReading } from './layer-reading.js';
export { doubtsAboutLink } from './web-request/link-fields.js';
export { LEAST_MASKED } from './running/without-secret.js';
export { hintsOf, stageFaults, validateLayer } from './validate-layer.js';
export { outputText } from './stored/output-text.js';
export {
  type CallEnd,
  type CallGate,
  type GateAnswer,
  type GateAsk,
  type GatePass,
  type GatePause,
} from './running/call-gate.js';
export type { LayerPayloads } from './running/layer-payloads.js';
export type { CollectedItem } from './running/collected-item.js';
export { entriesIn } from './running/done-items.js';
export { InlineBudget } from './running/inline-budget.js';
export { errorOf, UnloadedOutput, type LayerCall } from './running/layer-call.js';
export type { IntegrationAnswer, IntegrationSource } from './running/integration-source.js';
export { MAX_KV_BYTES, type KvSource } from './running/kv-source.js';
export { LayerRunner } from './running/layer-runner.js';
export { prepareVersion, type ApprovalPlace, type PreparedVersion } from './running/prepared-version.js';
export { dryRun, type DryRun, type DryRunLayer, type DryRunRequest } from './dry-run/dry-run.js';
export { rehearsePlay, type PlayRehearsal } from './dry-run/rehearse-play.js';
export { reachesOutside, recordedLayers, type RecordedLayer, type RecordedPlay } from './dry-run/recorded-play.js';
export type { LoggedCall } from './dry-run/call-log.js';
