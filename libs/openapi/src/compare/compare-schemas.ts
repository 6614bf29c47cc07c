/**
 * What differs between two schemas of one operation, field by field, and what of it breaks a flow: args that were right before and are
 * refused now, and fields of the output that were there before and are not now, or are of another kind.
 */
import type { JsonObject } from '../json.js';
import { definitionOf } from '../schema/fields.js';
import { BOUNDS, choiceKey, includesType, shapeOf, type Shape } from './shape-of.js';

export interface Change {
  /** `plan`: how it is sent. */
  readonly place: 'args' | 'out' | 'plan';
  /** In dots; `*` for the elements of a list, and for fields without a name. One that is longer than 500 characters ends with `…`. */
  readonly path: string;
  /** `unknown`: there is too much to compare. */
  readonly what: 'added' | 'removed' | 'required' | 'optional' | 'type' | 'values' | 'choices' | 'bounds' | 'unknown';
  readonly breaks: boolean;
}

const MAX_CHANGES = 200;
/** For one operation: pairs of schemas that are compared; what 100 characters of them say takes as long as a pair. */
const MAX_STEPS = 20_000;
const CHARS_PER_STEP = 100;
const MAX_PATH = 500;

/** The first 200 changes. */
export function compareSchemas(place: 'args' | 'out', before: JsonObject, after: JsonObject): readonly Change[] {
  const comparison = new Comparison(place, before.$defs, after.$defs);
  comparison.compare(before, after, '');
  return comparison.changes;
}

class Comparison {
  readonly changes: Change[] = [];
  private readonly seen = new Set<string>();
  private readonly place: 'args' | 'out';
  private readonly defsBefore: unknown;
  private readonly defsAfter: unknown;
  private steps = 0;

  constructor(place: 'args' | 'out', defsBefore: unknown, defsAfter: unknown) {
    this.place = place;
    this.defsBefore = defsBefore;
    this.defsAfter = defsAfter;
  }

  compare(before: JsonObject, after: JsonObject, path: string): void {
    if (this.isCompared(before, after) || this.changes.length >= MAX_CHANGES || !this.mayTake(1, path)) return;
    const [was, is] = [shapeOf(before, this.defsBefore), shapeOf(after, this.defsAfter)];
    if (!this.mayTake((was.chars + is.chars) / CHARS_PER_STEP, path)) return;
    this.compareTypes(was, is, path);
    this.compareValues(was, is, path);
    this.compareBounds(was, is, path);
    this.compareFields(was, is, path);
    this.compareInner(was.items, is.items, dotted(path, '*'));
    this.compareInner(was.more, is.more, dotted(path, '*'));
    this.compareChoices(was, is, path);
  }

  private get isOver(): boolean {
    return this.steps > MAX_STEPS;
  }

  private mayTake(steps: number, path: string): boolean {
    if (this.isOver) return false;
    this.steps += steps;
    if (this.isOver) this.add(path, 'unknown', true);
    return !this.isOver;
  }

  /** Types may be recursive: two definitions are compared once. */
  private isCompared(before: JsonObject, after: JsonObject): boolean {
    if (!definitionOf(before, this.defsBefore) || !definitionOf(after, this.defsAfter)) return false;
    const key = `${String(before.$ref)} ${String(after.$ref)}`;
    if (this.seen.has(key)) return true;
    this.seen.add(key);
    return false;
  }

  private compareTypes({ types: was }: Shape, { types: is }: Shape, path: string): void {
    // what only one of them says may be said by the choices of the other
    if (was === null && is === null) return;
    const isNarrower = is !== null && (was === null || was.some((type) => !includesType(is, type)));
    const isWider = was !== null && (is === null || is.some((type) => !includesType(was, type)));
    if (isNarrower || isWider) this.add(path, 'type', this.isArgs ? isNarrower : isWider);
  }

  private compareValues({ values: was }: Shape, { values: is }: Shape, path: string): void {
    const isNarrower = is !== null && (was === null || [...was].some((value) => !is.has(value)));
    const isWider = was !== null && (is === null || [...is].some((value) => !was.has(value)));
    // a further value of an answer is nothing that a flow reads otherwise
    if (isNarrower || isWider) this.add(path, 'values', this.isArgs && isNarrower);
  }

  private compareBounds(was: Shape, is: Shape, path: string): void {
    const isNarrower = BOUNDS.some(([name, direction]) => {
      const [before, after] = [was.bounds.get(name), is.bounds.get(name)];
      return after !== undefined && (before === undefined || (direction === 'up' ? after > before : after < before));
    });
    const isOther = BOUNDS.some(([name]) => was.bounds.get(name) !== is.bounds.get(name));
    const hasOtherPattern = was.patterns.join('\n') !== is.patterns.join('\n');
    const isStricter =
      isNarrower || (hasOtherPattern && is.patterns.some((pattern) => !was.patterns.includes(pattern)));
    if (isOther || hasOtherPattern) this.add(path, 'bounds', this.isArgs && isStricter);
  }

  private compareFields(was: Shape, is: Shape, path: string): void {
    for (const [name, field] of was.fields) {
      const now = is.fields.get(name);
      const at = dotted(path, name);
      if (now) this.compare(field, now, at);
      else this.add(at, 'removed', true);
    }
    for (const name of is.fields.keys()) {
      if (!was.fields.has(name)) this.add(dotted(path, name), 'added', this.isArgs && is.required.has(name));
    }
    for (const name of is.required) {
      if (!was.required.has(name) && was.fields.has(name)) this.add(dotted(path, name), 'required', this.isArgs);
    }
    for (const name of was.required) {
      if (!is.required.has(name) && is.fields.has(name)) this.add(dotted(path, name), 'optional', !this.isArgs);
    }
    if (!was.isClosed && is.isClosed) this.add(dotted(path, '*'), 'removed', this.isArgs);
  }

  private compareInner(was: JsonObject | null, is: JsonObject | null, path: string): void {
    if (was !== null || is !== null) this.compare(was ?? {}, is ?? {}, path);
  }

  /** As many choices as before are compared in their order, others as they are. */
  private compareChoices({ choices: was }: Shape, { choices: is }: Shape, path: string): void {
    if (was.length === is.length) {
      was.forEach((choice, i) => this.compare(choice, is[i] ?? {}, path));
      return;
    }
    const [before, after] = [new Set(was.map(choiceKey)), new Set(is.map(choiceKey))];
    const chars = [...before, ...after].reduce((sum, key) => sum + key.length, 0);
    if (!this.mayTake(chars / CHARS_PER_STEP, path)) return;
    const isGone = [...before].some((key) => !after.has(key)) || (before.size === 0 && after.size > 0);
    const isNew = [...after].some((key) => !before.has(key)) || (after.size === 0 && before.size > 0);
    if (isGone || isNew) this.add(path, 'choices', this.isArgs ? isGone : isNew);
  }

  private get isArgs(): boolean {
    return this.place === 'args';
  }

  private add(path: string, what: Change['what'], breaks: boolean): void {
    const { place } = this;
    if (this.changes.length < MAX_CHANGES) this.changes.push({ place, path, what, breaks });
  }
}

/** Bounded at once: of a long name hundreds of paths may be made. */
function dotted(path: string, name: string): string {
  if (path.length > MAX_PATH) return path;
  const step = name.slice(0, MAX_PATH + 1);
  const longer = path === '' ? step : `${path}.${step}`;
  return longer.length > MAX_PATH ? `${longer.slice(0, MAX_PATH)}…` : longer;
}
