/**
 * How the arguments of a layer are compiled: as values with expressions in them, except for those that are programs.
 */
import {
  compile,
  compileCondition,
  compileWhole,
  JsonataFault,
  PAGE_VARIABLES,
  parseProgram,
  ExpressionSyntaxError,
  type CompiledValue,
  type RichBudget,
  type RichExpression,
} from '@weft/expressions';
import { pagingOf, type LayerModule } from './layer-module.js';

/** @throws ExpressionSyntaxError */
export function compileArgs(
  module: LayerModule<unknown> | undefined,
  args: unknown,
  budget?: RichBudget,
  variables?: readonly string[],
): CompiledValue {
  const paging = module && pagingOf(module);
  const literal = [...(module?.programs ?? []), ...(paging ? [paging.option] : [])];
  return compile(args, literal, budget, variables, module?.linkPlaces);
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
  variables?: readonly string[],
): RichExpression | null {
  const name = module?.jsonata;
  if (name === undefined || typeof args !== 'object' || args === null || !Object.hasOwn(args, name)) return null;
  const text = (args as Readonly<Record<string, unknown>>)[name];
  if (typeof text !== 'string') return null;
  try {
    return parseProgram(text, name, budget, variables);
  } catch (error) {
    if (!(error instanceof JsonataFault)) throw error;
    throw new ExpressionSyntaxError([{ path: name, message: `${error.message} (character ${error.position + 1})` }]);
  }
}

/** By path in the option. */
export type CompiledPaging = ReadonlyMap<string, CompiledValue>;

/**
 * The expressions by which the module goes from page to page; null when the arguments ask for one call. What is not a text is
 * left to the schema.
 *
 * @throws ExpressionSyntaxError with paths from the arguments
 */
export function compilePaging(
  module: LayerModule<unknown> | undefined,
  args: unknown,
  budget?: RichBudget,
): CompiledPaging | null {
  const paging = module && pagingOf(module);
  const option = paging && fieldOf(args, paging.option);
  if (!paging || typeof option !== 'object' || option === null) return null;
  const compiled = new Map<string, CompiledValue>();
  for (const { path, isCondition } of paging.expressions) {
    const text = path.split('.').reduce(fieldOf, option);
    if (typeof text !== 'string') continue;
    const compileIt = isCondition ? compileCondition : compileWhole;
    try {
      compiled.set(path, compileIt(text, budget, PAGE_VARIABLES));
    } catch (error) {
      if (!(error instanceof ExpressionSyntaxError)) throw error;
      const at = `${paging.option}.${path}`;
      throw new ExpressionSyntaxError(error.faults.map(({ message }) => ({ path: at, message })));
    }
  }
  return compiled;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
