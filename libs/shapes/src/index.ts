export { SEEN, SEEN_SAYS } from './bounds.js';
export { changed, changeOf, fieldsIn } from './changed.js';
export {
  FLOW_SCHEMA,
  MAX_TEST_CASES,
  documentLayerShape,
  flowDocumentJsonSchema,
  flowDocumentShape,
  testCaseShape,
  type FlowDocumentFile,
} from './flow-document.js';
export {
  MAX_PRIORITY,
  flowShape,
  settingsShape,
  shownSettings,
  type FlowSettings,
  type FlowTool,
  type GivenSettings,
} from './flow.js';
export { renamed, type NameOf, type NamingFlow, type ResourceKind } from './named-resources.js';
export { LABEL_KEY, MAX_LABELS, MAX_LABEL_VALUE, labelsFault, labelsShape } from './labels.js';
export {
  LAYER_FIELDS,
  MAX_LAYERS,
  NO_OPTIONS,
  layerOptionsShape,
  layerShape,
  shownLayer,
  type ForEachOptions,
  type Layer,
  type RepeatOptions,
  type RetryOptions,
  type ShownLayer,
} from './layer.js';
export {
  AWS_SECRETS,
  LINK_KINDS,
  SECRET_IN_HEADER,
  linkSettingsShape,
  linkTestShape,
  rateLimitShape,
  type LinkKind,
  type LinkSettings,
  type LinkTest,
  type RateLimit,
} from './link.js';
export type { Plain } from './plain.js';
export { MISSED_SLOT_POLICIES, OVERLAP_POLICIES, scheduleShape, type ScheduleFields } from './schedule.js';
export { SOURCE_TYPES, TRIGGER_TYPES, type SourceGiven, type SourceType } from './trigger-source.js';
export { HOOK_BYTES, triggerShape, type HookMethod, type TriggerGiven, type Verifier } from './trigger.js';
export {
  EVENT_OF_STATE,
  MAX_DELAY_SECONDS,
  OTHER_EVENTS,
  PLAY_EVENTS,
  WEBHOOK_EVENTS,
  webhookShape,
  type WebhookEventType,
  type WebhookFields,
} from './webhook.js';
