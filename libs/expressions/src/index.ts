export { blueprintReads, type BlueprintRead } from './blueprint-reads.js';
export { compile, type CompiledValue, type LayerReference } from './compile.js';
export { compileCondition, compileWhole, isTruthy } from './condition.js';
export { EvaluationError, ExpressionSyntaxError, type SyntaxFault } from './errors.js';
export { asText, evaluate, type EvaluateOptions, type OnMissing } from './evaluate.js';
export { ReadValues } from './read-values.js';
export { nearestNames } from './nearest-names.js';
export type { Scope } from './resolve.js';
