export { checkConnection, tryRequest, type EgressClients } from './check-connection.js';
export { sendNotice } from './modules/email/send-notice.js';
export { SessionPools } from './sql/session-pools.js';
export { CONNECTS_WITHIN_MS, dialPlace, encryptTo, type SecurePlace } from './sql/dial-place.js';
export { LayerFailure } from './layer-module.js';
export type { AiUsage, Connection, LayerContext, LayerModule, PlayEnd, StartPlayRequest } from './layer-module.js';
export type { PlaysSource } from './call/plays-source.js';
export { layerModules, moduleOf } from './registry.js';
export { isFaceFault, type Face, type FaceFault, type Faces } from './face.js';
export { faceFaults } from './face-faults.js';
export { faceKeysOf, namedFaces, withParts, withPin, type NamedFace } from './named-faces.js';
export { withFixed } from './modules/agent/tools/fixed.js';
export { doubtsAboutAgent } from './modules/agent/doubts.js';
export { FLOW_FACE } from './modules/agent/tools/parts.js';
export { linkKindsFor } from './modules/operation/link-kinds.js';
export { suggestedLinks, type SuggestedLink } from './modules/operation/suggested-links.js';
export { MCP_FACE } from './modules/mcp-tool/mcp-tool.layer.js';
export { MCP_ERAS, withMcpSession, type McpEra, type McpPeer } from './mcp/mcp-session.js';
export { issueTexts } from './issue-text.js';
export { publishedSchema } from './published-schema.js';
export { destinationsOf, readLayer, type LayerReading } from './layer-reading.js';
export { doubtsAboutLink } from './modules/web-request/link-fields.js';
export { withCredential, type OutgoingRequest } from './call/link-credential.js';
export { LEAST_MASKED } from './call/without-secret.js';
export { hintsOf, stageFaults, validateLayer } from './validate-layer.js';
export { outputText } from './stored/output-text.js';
export {
  type CallEnd,
  type CallGate,
  type GateAnswer,
  type GateAsk,
  type GatePass,
  type GatePause,
} from './call/call-gate.js';
export type { LayerPayloads } from './call/layer-payloads.js';
export type { CollectedItem } from './loops/collected-item.js';
export { loopKindOf } from './loops/loop-kind.js';
export { entriesIn } from './loops/done-items.js';
export { InlineBudget } from './memory/inline-budget.js';
export { errorOf, UnloadedOutput, type LayerCall } from './call/layer-call.js';
export type { IntegrationAnswer, IntegrationSource } from './call/integration-source.js';
export { MAX_KV_BYTES, type KvSource } from './call/kv-source.js';
export { LayerRunner } from './call/layer-runner.js';
export { prepareVersion, type PreparedVersion } from './call/prepared-version.js';
export { dryRun, type DryRun, type DryRunLayer, type DryRunRequest } from './dry-run/dry-run.js';
export { rehearsePlay, type PlayRehearsal } from './dry-run/rehearse-play.js';
export {
  reachesOutside,
  recordedLayers,
  worksInSteps,
  type RecordedLayer,
  type RecordedPlay,
} from './dry-run/recorded-play.js';
export type { LoggedCall } from './dry-run/call-log.js';
export { firstPart, type FirstPart } from './try/first-part.js';
export {
  isTriable,
  readsOfLayer,
  tryLayer,
  type LayerTry,
  type LayerTryEnd,
  type LayerTryMeans,
} from './try/try-layer.js';
export type { GivenModuleServices, StepWatch } from './call/module-services.js';
export { HeldMemory } from './memory/held-memory.js';
export { layerInput, type LayerInput } from './input/layer-input.js';
export type { Unresolved } from './input/rendered-args.js';
export { curlOf, type LinkShown } from './modules/web-request/as-curl.js';
export { charsetOf, isJson, isUtf8Name, mediaTypeOf, textOfBytes } from './modules/web-request/read-body.js';
