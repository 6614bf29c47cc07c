/** What a new flow gives an operation: what the document requires, from the arguments of its runs. Pure. */
import { alternativesOf, objectOf, type Schema } from '../editor/schema-reading';
import { pathText } from '../values/tree-model';

/** The parts of a request, and the names in each. */
const MOST_DEPTH = 2;

/** @param argsSchema of the operation @returns undefined when it requires nothing */
export function firstInput(argsSchema: Schema): Schema | undefined {
  const input = objectOf(valueFor('input', argsSchema, argsSchema.$defs, 0));
  return Object.keys(input).length > 0 ? input : undefined;
}

function valueFor(name: string, schema: Schema, defs: unknown, depth: number): unknown {
  const { options } = alternativesOf(schema, defs);
  const [only] = options.length === 1 ? options : [];
  const { required, properties, ...said } = only?.schema ?? {};
  if ('const' in said) return said.const;
  if (Array.isArray(said.enum)) return said.enum[0] as unknown;
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  if (depth === 0 || (names.length > 0 && depth < MOST_DEPTH)) {
    const all = objectOf(properties);
    return Object.fromEntries(names.map((each) => [each, valueFor(each, objectOf(all[each]), defs, depth + 1)]));
  }
  return `{{ $prev.args${pathText([name])} }}`;
}
