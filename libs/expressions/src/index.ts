export { blueprintReads, blueprintReadsOf, type BlueprintRead } from './blueprint-reads.js';
export { compile, type CompiledValue, type LayerReference } from './compile.js';
export { variablesOf } from './computing.js';
export {
  LINK_FIELDS,
  PAGE_VARIABLES,
  REPEAT_VARIABLES,
  SOURCE_VARIABLES,
  TRIGGER_VARIABLES,
  type LinkField,
} from './variables.js';
export { compileCondition, compileWhole, isTruthy } from './condition.js';
export { EvaluationError, ExpressionSyntaxError, type SyntaxFault } from './errors.js';
export { asText, evaluate, type EvaluateOptions, type OnMissing } from './evaluate.js';
export { RichBudget } from './rich-budget.js';
export { ReadValues } from './read-values.js';
export { nearestNames, Suggestions } from './nearest-names.js';
export { checkPattern } from './check-pattern.js';
export type { RichExpression } from './expression.js';
export { parseProgram } from './parse-jsonata.js';
export type { ApprovalLinksOf, ExpressionScope, FlowFacts, LayerError, PlayFacts } from './resolve.js';
export { JsonataFault } from './scan-jsonata.js';
