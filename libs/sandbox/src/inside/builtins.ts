import jsonata, { type Expression } from 'jsonata';
import { Failed } from './limit.js';
import { IS_THERE, OF_CLONE, OWN_CLONE } from './mend-tree.js';

/** As JSONata keeps a function: it notes in it where it is called from, so it must not be frozen itself. */
interface Definition {
  readonly _jsonata_function: true;
  readonly implementation: object;
  readonly signature: object;
}

/** Every function of JSONata but `$eval`, which would read data as a program, and `$now` and `$millis`, which it makes anew itself. */
export const BUILTINS = [
  ...['sum', 'count', 'max', 'min', 'average', 'string', 'substring', 'substringBefore', 'substringAfter', 'lowercase'],
  ...[
    'uppercase',
    'length',
    'trim',
    'pad',
    'match',
    'contains',
    'replace',
    'split',
    'join',
    'formatNumber',
    'formatBase',
  ],
  ...['formatInteger', 'parseInteger', 'number', 'floor', 'ceil', 'round', 'abs', 'sqrt', 'power', 'random', 'boolean'],
  ...[
    'not',
    'map',
    'zip',
    'filter',
    'single',
    'reduce',
    'sift',
    'keys',
    'lookup',
    'append',
    'exists',
    'spread',
    'merge',
  ],
  ...['reverse', 'each', 'error', 'assert', 'type', 'sort', 'shuffle', 'distinct', 'base64encode', 'base64decode'],
  ...['encodeUrlComponent', 'encodeUrl', 'decodeUrlComponent', 'decodeUrl', 'toMillis', 'fromMillis', 'clone'],
] as const;

const definitions = new Map<string, Definition>();
for (const name of BUILTINS) {
  const definition = (await jsonata(`$${name}`).evaluate(undefined)) as Definition;
  freezeDeep(definition.implementation);
  freezeDeep(definition.signature);
  definitions.set(name, definition);
}
// what `f ~> g` is made of
const chain = (await jsonata('$string ~> $length').evaluate(undefined)) as { arguments: object; body: object };
freezeDeep(chain.arguments);
freezeDeep(chain.body);

/** Gives an expression functions of its own: JSONata has one of each for all expressions, and they can be written to. */
export function bindBuiltins(expression: Expression): void {
  for (const [name, definition] of definitions) expression.assign(name, { ...definition });
  expression.assign(OWN_CLONE, { ...definitions.get('clone') });
  expression.assign(OF_CLONE, ofClone);
  expression.assign(IS_THERE, isThere);
  expression.assign('eval', undefined);
}

export function isFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && ('_jsonata_lambda' in value || '_jsonata_function' in value);
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** What the pattern of a transform has found: it will be written to, so it has to be in the copy that the transform made. */
function ofClone(found: unknown, clone: unknown): unknown {
  const known = objectsIn(clone);
  for (const each of Array.isArray(found) ? (found as readonly unknown[]) : [found]) {
    const isObject = isFunction(each) || (typeof each === 'object' && each !== null);
    if (isObject && !known.has(each)) {
      throw new Failed('a transform can change only what it was given, and its pattern leads to something else');
    }
  }
  return found;
}

function objectsIn(value: unknown): ReadonlySet<unknown> {
  const known = new Set<unknown>();
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null || isFunction(next) || known.has(next)) continue;
    known.add(next);
    for (const child of Object.values(next)) left.push(child);
  }
  return known;
}

function freezeDeep(value: unknown): void {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) freezeDeep((value as Record<PropertyKey, unknown>)[key]);
}
