export type { FlowVersion, LayerDefinition } from './flow-version.js';
export type { LayerResult, LogEntry, PayloadRef, Play } from './play.js';
