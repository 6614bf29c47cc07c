export { UNRUNG } from './acceptance-trouble.js';
export { acceptRetry } from './accept-retry.js';
export { FlowCache, toFlowUnderAccess, type RunnableFlow } from './flow-cache.js';
export { assertCondition, conditionFaults, conditionHolds } from './flow-condition.js';
export { OnBehalf, type Standing } from './on-behalf.js';
export {
  PlayAcceptance,
  assertRunnable,
  type AcceptedRun,
  type PlayAcceptanceParts,
  type RunAsk,
} from './play-acceptance.js';
export { ParentTeller } from './parent-teller.js';
