import jsonata, { type Expression } from 'jsonata';
import { TaskFailed } from './errors.js';
import { OWN_FUNCTIONS } from './own-functions.js';
import { EXISTS_FUNCTION, WITHIN_CLONE_FUNCTION, CLONE_FUNCTION } from './repair-tree.js';

/** How JSONata stores a function. JSONata writes the caller's position into it, so the object itself must not be frozen. */
interface Definition {
  readonly _jsonata_function: true;
  readonly implementation: object;
  readonly signature: object;
}

/** Every function of JSONata except `$eval`, which would run data as a program, and `$now` and `$millis`, which JSONata creates for each evaluation. */
export const BUILTINS: readonly string[] = `
  sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim
  pad match contains replace split join formatNumber formatBase formatInteger parseInteger number floor ceil
  round abs sqrt power random boolean not map zip filter single reduce sift keys lookup append exists spread
  merge reverse each error assert type sort shuffle distinct base64encode base64decode encodeUrlComponent
  encodeUrl decodeUrlComponent decodeUrl toMillis fromMillis clone
`
  .trim()
  .split(/\s+/);

const definitions = new Map<string, Definition>();
for (const name of new Set([...BUILTINS, ...OWN_FUNCTIONS.keys()])) {
  const own = OWN_FUNCTIONS.get(name);
  const definition = (own ?? (await jsonata(`$${name}`).evaluate(undefined))) as Definition;
  freezeDeep(definition.implementation);
  freezeDeep(definition.signature);
  definitions.set(name, definition);
}
// the parts of `f ~> g`
const chain = (await jsonata('$string ~> $length').evaluate(undefined)) as { arguments: object; body: object };
freezeDeep(chain.arguments);
freezeDeep(chain.body);

/** Gives an expression its own copy of each function: JSONata shares one of each among all expressions, and expressions can write to it. */
export function bindBuiltins(expression: Expression): void {
  for (const [name, definition] of definitions) expression.assign(name, { ...definition });
  expression.assign(CLONE_FUNCTION, { ...definitions.get('clone') });
  expression.assign(WITHIN_CLONE_FUNCTION, withinClone);
  expression.assign(EXISTS_FUNCTION, existsAndIsNotNull);
  expression.assign('eval', undefined);
}

export function isFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && ('_jsonata_lambda' in value || '_jsonata_function' in value);
}

function existsAndIsNotNull(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The transform writes to what its pattern has found, so that must be part of the copy that the transform made. */
function withinClone(found: unknown, clone: unknown): unknown {
  const known = objectsIn(clone);
  for (const each of Array.isArray(found) ? (found as readonly unknown[]) : [found]) {
    const isObject = isFunction(each) || (typeof each === 'object' && each !== null);
    if (isObject && !known.has(each)) {
      throw new TaskFailed('a transform can change only what it was given, and its pattern leads to something else');
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
