/**
 * How the arguments of a layer are compiled: as values with expressions in them, except for those that are programs.
 */
import {
  compile,
  JsonataFault,
  parseProgram,
  ExpressionSyntaxError,
  type CompiledValue,
  type RichBudget,
  type RichExpression,
} from '@weft/expressions';
import type { LayerModule } from './layer-module.js';

/** @throws ExpressionSyntaxError */
export function compileArgs(
  module: LayerModule<unknown> | undefined,
  args: unknown,
  budget?: RichBudget,
): CompiledValue {
  return compile(args, module?.programs, budget);
}

/**
 * The program among the arguments that reads the same variables as expressions; null when the module has none.
 *
 * @throws ExpressionSyntaxError
 */
export function compileProgram(
  module: LayerModule<unknown> | undefined,
  args: unknown,
  budget?: RichBudget,
): RichExpression | null {
  const name = module?.jsonata;
  if (name === undefined || typeof args !== 'object' || args === null || !Object.hasOwn(args, name)) return null;
  const text = (args as Readonly<Record<string, unknown>>)[name];
  if (typeof text !== 'string') return null;
  try {
    return parseProgram(text, name, budget);
  } catch (error) {
    if (!(error instanceof JsonataFault)) throw error;
    throw new ExpressionSyntaxError([{ path: name, message: `${error.message} (character ${error.position + 1})` }]);
  }
}
