import { compile, type CompiledValue } from './compile.js';
import { ExpressionSyntaxError } from './errors.js';
import type { RichBudget } from './rich-budget.js';

/**
 * Compiles a text that must be one whole expression, as conditions (`when`) and lists (`forEach.in`) are: with other
 * text around it, its value would always be a text, and so always true and never a list.
 *
 * @throws ExpressionSyntaxError
 */
export function compileWhole(text: string, budget?: RichBudget, variables?: readonly string[]): CompiledValue {
  const compiled = compile(text.trim(), [], budget, variables);
  if (compiled.node.kind === 'expression') return compiled;
  const message = 'expected one expression in braces, like {{ .ref.field > 1 }}, and nothing around it';
  throw new ExpressionSyntaxError([{ path: '', message }]);
}

/**
 * Compiles a condition: one whole expression, or the word true or false.
 *
 * @throws ExpressionSyntaxError
 */
export function compileCondition(text: string, budget?: RichBudget, variables?: readonly string[]): CompiledValue {
  const trimmed = text.trim();
  return trimmed === 'true' || trimmed === 'false' ? compile(trimmed) : compileWhole(text, budget, variables);
}

/** A condition is false when its value is false, null, 0, the empty text or the text "false"; otherwise it is true. */
export function isTruthy(value: unknown): boolean {
  return Boolean(value) && value !== 'false';
}
