export { EVENTS } from './event-catalog.js';
export {
  JOB_NAMES,
  JOB_STATUSES,
  type JobLeft,
  type JobName,
  type JobStatus,
  type JobView,
} from './background-jobs.js';
export { limitKeyOf, limitOf } from './concurrency.js';
export { fileIdOf, fileIdsIn, filePath, MOST_FILES, type FileValue } from './file-value.js';
export { CLOSE, outputRef, type FrameData, type FrameType, type PlayFrame } from './frames.js';
export { BACKTEST_RESULTS, type BacktestResult } from './flow-views.js';
export type {
  BacktestDifference,
  BacktestItem,
  BacktestView,
  BlueprintVarView,
  CaseDifference,
  CaseRunView,
  DryRunLayerView,
  DryRunView,
  FlowChange,
  FlowDiffView,
  FlowReport,
  FlowVersionView,
  TestCaseView,
  TestRunView,
} from './flow-views.js';
export {
  isGroupId,
  isGroupJob,
  playCountOf,
  playJobId,
  playsOfJob,
  queueJobId,
  type GroupJob,
  type PlayJob,
  type QueueJob,
} from './jobs.js';
export type { Invalidation, LayerProgress, LayerText, PlayNotice } from './messages.js';
export { FINAL_STATES, PLAY_STATES, isFinal, type FinalState, type LayerState, type PlayState } from './states.js';
export { PLAY_TRIGGERS } from './views.js';
export type {
  FlowView,
  LayerView,
  Page,
  PlayError,
  PlayLayerView,
  PlayTrigger,
  Labels,
  PlayRow,
  PlayView,
  Problem,
  Warning,
} from './views.js';
export { problemOf } from './problem.js';
export { WORKER_LABEL, WORKER_LABEL_SAYS } from './worker-label.js';
