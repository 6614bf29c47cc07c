/** Judges a value by a JSON Schema, in bounded time. Pure. */
import { nearestNames } from '@weft/expressions';
import { countValues, MAX_ERRORS, type FieldError } from '@weft/kernel';
import { MAX_PATTERN_TEXT, patternFault, waysOf } from './bounded-pattern.js';
import { definitionNamed, isObject, type JsonSchema } from './definitions.js';
import { JsonEquality } from './json-equality.js';

/**
 * For one value: schemas that are applied to values, values that are looked at, values of `enum` and `const`, and ways to try a
 * text, of which five are a step.
 */
const MAX_STEPS = 200_000;
/** References that are followed for one value, each from what the one before refers to. More are a circle. */
const MAX_CHAIN = 64;
const WAYS_PER_STEP = 5;
/** A character that has two UTF-16 units. */
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
/** Unknown names of one run for which suggestions are made. */
const MAX_SUGGESTED = 10;
/** Characters of a name in a path. */
const MAX_SHOWN = 100;

interface Pattern {
  readonly regExp: RegExp;
  readonly steps: number;
}

const PATTERNS = new WeakMap<JsonSchema, Pattern | null>();
const SIZES = new WeakMap<JsonSchema, number>();

export interface JudgeOptions {
  /** What the paths of faults begin with. Default: `args`. */
  readonly root?: string;
  /**
   * The schema is one that a peer wrote, which judges the value again. What cannot be judged in bounded time is left to the peer: a
   * pattern that may take long, a text that is too long for a pattern, and what is more than one value is judged by. `oneOf` holds for
   * several choices, too, since documents seldom mean exactly one.
   */
  readonly isForeign?: boolean;
  /** Of a foreign schema: what is more than this many steps is left to the peer, too. Default and most: 200,000. */
  readonly maxSteps?: number;
  /** Finds names that are like another one. */
  readonly near?: typeof nearestNames;
}

/**
 * The first faults, as many as an answer lists.
 *
 * @param schema one that `schemaFaults` has nothing against, or a foreign one whose keywords have their right shape
 */
export function valueFaults(schema: JsonSchema, value: unknown, options: JudgeOptions = {}): FieldError[] {
  const judge = new Judge(schema.$defs, options);
  judge.apply(schema, value, 0);
  return judge.faults;
}

class Judge {
  readonly faults: FieldError[] = [];
  /** Where the value is that is looked at, from the root. It is written out for faults alone. */
  private readonly place: (string | number)[] = [];
  /** Inside a choice, whose faults are not those of the run: whether the value fits so far. */
  private fits: boolean | null = null;
  private steps = 0;
  private suggested = 0;
  private readonly equality = new JsonEquality();
  private counted = { text: '', characters: 0 };

  private readonly near: typeof nearestNames;
  private readonly isForeign: boolean;
  private readonly maxSteps: number;
  private readonly root: string;

  constructor(
    private readonly definitions: unknown,
    { root = 'args', isForeign = false, maxSteps = MAX_STEPS, near = nearestNames }: JudgeOptions,
  ) {
    this.root = root;
    this.isForeign = isForeign;
    this.maxSteps = maxSteps;
    this.near = near;
  }

  /** @param chain references that were followed for the same value */
  apply(schema: JsonSchema, value: unknown, chain: number): void {
    if (chain > MAX_CHAIN || !this.mayTake(1 + sizeOf(schema) + namesIn(value))) return;
    const { type } = schema;
    if (type !== undefined && !isOfTypes(value, type)) {
      this.add(() => (value === undefined ? 'is required' : `must be ${[type].flat().map(String).join(' or ')}`));
      return;
    }
    if (Array.isArray(schema.enum) && !schema.enum.some((each) => this.equality.holds(each, value))) {
      this.add(() => `must be one of ${shown(schema.enum)}`);
    }
    if (Object.hasOwn(schema, 'const') && !this.equality.holds(schema.const, value)) {
      this.add(() => `must be ${shown(schema.const)}`);
    }
    if (typeof value === 'number' || typeof value === 'bigint') this.applyToNumber(schema, value);
    else if (typeof value === 'string') this.applyToText(schema, value);
    else if (Array.isArray(value)) this.applyToList(schema, value);
    else if (isObject(value)) this.applyToObject(schema, value);
    const referred = typeof schema.$ref === 'string' ? definitionNamed(schema.$ref, this.definitions) : undefined;
    if (referred) this.apply(referred, value, chain + 1);
    this.applyChoices(schema, value, chain);
  }

  /** Nothing that is found from here on changes the answer. */
  private isDecided(): boolean {
    return this.fits === false || this.steps > this.maxSteps || this.faults.length >= MAX_ERRORS;
  }

  /** One step too many refuses the value, inside a choice as well. */
  private mayTake(steps: number): boolean {
    if (this.isDecided()) return false;
    this.steps += steps;
    if (this.steps <= this.maxSteps) return true;
    if (this.isForeign) return false;
    this.faults.push(this.fault('is more than a run is judged by: give less, or ask less in the schema'));
    return false;
  }

  private applyToNumber(schema: JsonSchema, value: number | bigint): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Record<string, number | undefined>;
    if (minimum !== undefined && value < minimum) this.add(() => `must be at least ${minimum}`);
    if (maximum !== undefined && value > maximum) this.add(() => `must be at most ${maximum}`);
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      this.add(() => `must be above ${exclusiveMinimum}`);
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      this.add(() => `must be below ${exclusiveMaximum}`);
  }

  private applyToText(schema: JsonSchema, value: string): void {
    const { minLength, maxLength } = schema as Record<string, number | undefined>;
    if (minLength !== undefined && this.charactersOf(value) < minLength)
      this.add(() => `must have at least ${minLength} characters`);
    if (maxLength !== undefined && value.length > maxLength && this.charactersOf(value) > maxLength)
      this.add(() => `must have at most ${maxLength} characters`);
    const { pattern: text } = schema;
    if (typeof text !== 'string') return;
    if (value.length > MAX_PATTERN_TEXT) {
      if (this.isForeign) return;
      this.add(() => `must have at most ${MAX_PATTERN_TEXT} characters, because it has a pattern`);
      return;
    }
    let pattern = PATTERNS.get(schema);
    if (pattern === undefined) PATTERNS.set(schema, (pattern = patternOf(text)));
    if (pattern === null) return;
    if (!this.mayTake(pattern.steps)) return;
    if (!pattern.regExp.test(value)) this.add(() => `must match ${text}`);
  }

  /** As JSON Schema counts them: two emoji are two. Choices ask this of one text again and again. */
  private charactersOf(text: string): number {
    if (text !== this.counted.text) this.counted = { text, characters: text.length - (text.match(PAIR)?.length ?? 0) };
    return this.counted.characters;
  }

  private applyToList(schema: JsonSchema, value: readonly unknown[]): void {
    const { minItems, maxItems } = schema as Record<string, number | undefined>;
    if (minItems !== undefined && value.length < minItems) this.add(() => `must have at least ${minItems} items`);
    if (maxItems !== undefined && value.length > maxItems) {
      this.add(() => `must have at most ${maxItems} items`);
      return;
    }
    const { items } = schema;
    if (!isObject(items)) return;
    for (let i = 0; i < value.length && !this.isDecided(); i += 1) this.applyWithin(i, items, value[i]);
  }

  private applyToObject(schema: JsonSchema, value: Readonly<Record<string, unknown>>): void {
    const properties = isObject(schema.properties) ? schema.properties : {};
    for (const name of (schema.required as readonly string[] | undefined) ?? []) {
      if (!Object.hasOwn(value, name)) this.add(() => 'is required', name);
    }
    for (const name of Object.keys(value)) {
      if (this.isDecided()) return;
      const inner = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
      if (inner === false) this.add(() => this.unknownName(properties, name), name.slice(0, MAX_SHOWN));
      else if (isObject(inner)) this.applyWithin(name, inner, value[name]);
    }
  }

  private applyWithin(step: string | number, schema: JsonSchema, value: unknown): void {
    this.place.push(step);
    this.apply(schema, value, 0);
    this.place.pop();
  }

  private applyChoices({ allOf, anyOf, oneOf }: JsonSchema, value: unknown, chain: number): void {
    if (allOf !== undefined) for (const each of listOf(allOf)) this.apply(each, value, chain);
    if (anyOf !== undefined && this.fitting(listOf(anyOf), value, chain) === 0)
      this.add(() => 'fits none of the choices');
    if (oneOf === undefined) return;
    const fitting = this.fitting(listOf(oneOf), value, chain);
    if (this.isForeign ? fitting === 0 : fitting !== 1)
      this.add(() => (fitting === 0 ? 'fits none of the choices' : `fits ${fitting} choices, not one`));
  }

  /** How many of the schemas a value fits. */
  private fitting(schemas: readonly JsonSchema[], value: unknown, chain: number): number {
    if (this.isDecided()) return 0;
    const outer = this.fits;
    const fitting = schemas.filter((each) => {
      this.fits = true;
      this.apply(each, value, chain);
      return this.fits;
    }).length;
    this.fits = outer;
    return fitting;
  }

  /**
   * @param message made only for a fault that the answer lists
   * @param within name of a field of the value that is looked at
   */
  private add(message: () => string, within?: string): void {
    if (this.isDecided()) return;
    if (this.fits === null) this.faults.push(this.fault(message(), within));
    else this.fits = false;
  }

  private fault(message: string, within?: string): FieldError {
    const steps = this.place.map((step) => (typeof step === 'string' ? step.slice(0, MAX_SHOWN) : step));
    const path = [this.root, ...steps, ...(within === undefined ? [] : [within])].join('.');
    return { path, code: 'invalid_args', message };
  }

  private unknownName(known: Readonly<Record<string, unknown>>, name: string): string {
    this.suggested += 1;
    const near = this.suggested > MAX_SUGGESTED ? [] : this.near(name, Object.keys(known));
    return `is not one of the ${this.root === 'args' ? 'args' : 'fields'}${near.length > 0 ? `; did you mean ${near.join(', ')}?` : ''}`;
  }
}

/** Null for one that may take long: a schema that is saved here has none. */
function patternOf(pattern: string): Pattern | null {
  if (patternFault(pattern) !== null) return null;
  const ways = waysOf(pattern);
  const steps = typeof ways === 'number' ? Math.ceil(ways / WAYS_PER_STEP) : MAX_STEPS;
  return { regExp: new RegExp(pattern, 'u'), steps };
}

/** How much a schema compares a value with. */
function sizeOf(schema: JsonSchema): number {
  let size = SIZES.get(schema);
  if (size === undefined) {
    size = [schema.type, schema.required, schema.enum, schema.const].reduce<number>(
      (sum, each) => sum + (each === undefined ? 0 : countValues(each)),
      0,
    );
    SIZES.set(schema, size);
  }
  return size;
}

function namesIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function listOf(schemas: unknown): readonly JsonSchema[] {
  return Array.isArray(schemas) ? (schemas as readonly JsonSchema[]) : [];
}

function isOfTypes(value: unknown, types: unknown): boolean {
  return Array.isArray(types) ? types.some((each) => isOfType(value, each)) : isOfType(value, types);
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value) || typeof value === 'bigint';
  if (type === 'number') return typeof value === 'number' || typeof value === 'bigint';
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return isObject(value);
  return typeof value === type;
}

function shown(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > 200 ? `${json.slice(0, 200)}…` : json;
}
